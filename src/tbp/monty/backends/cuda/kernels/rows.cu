// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// Rows of many owners: dividing them into blocks, displacing hypotheses, and moving rows
// within memory.

// Divides the rows of owners into blocks of UPDATE_THREADS: for each block its owner, and
// its first row in that owner. One block of COMBINE_THREADS per owner.
extern "C" __global__ void divide(const i64* block_starts, i64* owners, i64* firsts)
{
    const i64 start = block_starts[blockIdx.x];
    for (i64 block = start + threadIdx.x; block < block_starts[blockIdx.x + 1];
         block += COMBINE_THREADS) {
        owners[block] = blockIdx.x;
        firsts[block] = (block - start) * UPDATE_THREADS;
    }
}

// Displaces the hypotheses of a block without an update. `spans` has, for each owner, its
// first displacement and the one after its last.
static __device__ __forceinline__ void displace_rows(
    i64 block, const Hypotheses* hypotheses, const i64* owners, const i64* firsts,
    const i64* row_starts, const i64* row_counts, const i64* sides, const i64* spans,
    const real* displacements, bool fused)
{
    const i64 owner = owners[block];
    const i64 place = firsts[block] + threadIdx.x;
    if (place >= row_counts[owner])
        return;
    const i64 row = row_starts[owner] + place;
    const i64 capacity = hypotheses->capacity;
    real* locations = hypotheses->locations[sides[owner]];
    for (int axis = 0; axis < 3; ++axis) {
        const real* pose = hypotheses->poses + 3 * axis * capacity + row;
        real at = locations[axis * capacity + row];
        for (i64 move = spans[2 * owner]; move < spans[2 * owner + 1]; ++move) {
            const real* by = displacements + 3 * move;
            at = at + dot(fused, pose[0], pose[capacity], pose[2 * capacity], by[0],
                          by[1], by[2]);
        }
        locations[axis * capacity + row] = at;
    }
}

// One block per UPDATE_THREADS rows of an owner.
extern "C" __global__ void displace(const Hypotheses* hypotheses, const i64* owners,
                                    const i64* firsts, const i64* row_starts,
                                    const i64* row_counts, const i64* sides,
                                    const i64* spans, const real* displacements,
                                    i64 fused)
{
    displace_rows(blockIdx.x, hypotheses, owners, firsts, row_starts, row_counts, sides,
                  spans, displacements, fused != 0);
}

// Copies ranges of rows of some columns, which have a stride in elements. One block per
// UPDATE_THREADS rows of a range.
template <typename Value>
static __device__ __forceinline__ void copy_stretch(Value* to, const Value* from,
                                                    i64 to_stride, i64 from_stride,
                                                    i64 columns, const i64* owners,
                                                    const i64* firsts,
                                                    const i64* to_starts,
                                                    const i64* from_starts,
                                                    const i64* counts)
{
    const i64 stretch = owners[blockIdx.x];
    const i64 place = firsts[blockIdx.x] + threadIdx.x;
    if (place >= counts[stretch])
        return;
    for (i64 column = 0; column < columns; ++column)
        to[column * to_stride + to_starts[stretch] + place] =
            from[column * from_stride + from_starts[stretch] + place];
}

#define COPY_ROWS(name, Value)                                                         \
    extern "C" __global__ void name(Value* to, const Value* from, i64 to_stride,       \
                                    i64 from_stride, i64 columns, const i64* owners,   \
                                    const i64* firsts, const i64* to_starts,           \
                                    const i64* from_starts, const i64* counts)         \
    {                                                                                  \
        copy_stretch(to, from, to_stride, from_stride, columns, owners, firsts,        \
                     to_starts, from_starts, counts);                                  \
    }

COPY_ROWS(copy_rows_1, unsigned char)
COPY_ROWS(copy_rows_4, unsigned int)
COPY_ROWS(copy_rows_8, unsigned long long)
