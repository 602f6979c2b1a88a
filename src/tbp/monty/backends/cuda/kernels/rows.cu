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

// Each column has two sides, see `device/hypotheses.py`. `sides` tells for a segment which
// of them it uses.
static __device__ __forceinline__ real* evidence_on(const Hypotheses* hypotheses,
                                                    i64 sides)
{
    return of_device(hypotheses->evidence[sides & EVIDENCE_SIDE ? 1 : 0]);
}

static __device__ __forceinline__ real* locations_on(const Hypotheses* hypotheses,
                                                     i64 sides)
{
    return of_device(hypotheses->locations[sides & LOCATIONS_SIDE ? 1 : 0]);
}

static __device__ __forceinline__ real* poses_on(const Hypotheses* hypotheses, i64 sides)
{
    return of_device(hypotheses->poses[sides & POSES_SIDE ? 1 : 0]);
}

static __device__ __forceinline__ real* window_on(const Hypotheses* hypotheses,
                                                  i64 sides)
{
    return of_device(hypotheses->window[sides & POSES_SIDE ? 1 : 0]);
}

static __device__ __forceinline__ real* slopes_on(const Hypotheses* hypotheses,
                                                  i64 sides)
{
    return of_device(hypotheses->slopes[sides & SLOPES_SIDE ? 1 : 0]);
}

static __device__ __forceinline__ int* ages_on(const Hypotheses* hypotheses, i64 sides)
{
    return of_device(hypotheses->ages[sides & SLOPES_SIDE ? 1 : 0]);
}

// Displaces hypotheses, to the other side. One block per UPDATE_THREADS rows of a segment.
extern "C" __global__ void displace(const Hypotheses* hypotheses, const i64* owners,
                                    const i64* firsts, const i64* row_starts,
                                    const i64* row_counts, const i64* sides,
                                    const real* displacement, i64 fused)
{
    const i64 owner = owners[blockIdx.x];
    const i64 place = firsts[blockIdx.x] + threadIdx.x;
    if (place >= row_counts[owner])
        return;
    const i64 row = row_starts[owner] + place, side = sides[owner];
    const i64 capacity = hypotheses->capacity;
    const real* from = locations_on(hypotheses, side) + row;
    real* to = locations_on(hypotheses, side ^ LOCATIONS_SIDE) + row;
    for (int axis = 0; axis < 3; ++axis) {
        const real* pose = poses_on(hypotheses, side) + 3 * axis * capacity + row;
        to[axis * capacity] =
            from[axis * capacity] + dot(fused != 0, pose[0], pose[capacity],
                                        pose[2 * capacity], displacement[0],
                                        displacement[1], displacement[2]);
    }
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
