// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// Evidence over time: the arithmetic of `numpy/slopes.py`.

// Records the evidence of a hypothesis and returns the slope. `channels` has how many
// input channels are behind each slot; of the newest slot it is `newest_channels`.
static __device__ __forceinline__ real recorded_slope(const Hypotheses* hypotheses,
                                                      i64 row, real evidence,
                                                      i64 newest, real newest_channels,
                                                      const real* channels)
{
    const i64 capacity = hypotheses->capacity;
    real* window = hypotheses->window + row;
    window[newest * capacity] = evidence;
    hypotheses->ages[row] += 1;
    // The window is a ring buffer; from its oldest slot to its newest.
    i64 slot = newest + 1 < WINDOW_SIZE ? newest + 1 : 0;
    real before = window[slot * capacity];
    int known = 0;
    NumpySum sum(WINDOW_SIZE - 1);
#pragma unroll
    for (int i = 0; i < WINDOW_SIZE - 1; ++i) {
        slot = slot + 1 < WINDOW_SIZE ? slot + 1 : 0;
        const real after = window[slot * capacity];
        const real change =
            (after - before) / (slot == newest ? newest_channels : channels[slot]);
        before = after;
        const bool is_known = !(change != change);
        known += is_known;
        sum.add(is_known ? change : (real)0);
    }
    const real slope = known ? sum.value() / (real)known : (real)NAN;
    hypotheses->slopes[row] = slope;
    return slope;
}

// Records evidence if there is a window, and finds the most likely hypotheses. One block
// per UPDATE_THREADS hypotheses of a segment.
extern "C" __global__ void record(const Work* work, const Hypotheses* hypotheses,
                                  const i64* newest, const real* channels,
                                  const i64* added)
{
    const i64 segment = work->block_owners[blockIdx.x];
    const i64 place = work->block_firsts[blockIdx.x] + threadIdx.x;
    Found found = nothing_found();
    const i64 count = work->row_counts[segment] + (added ? added[segment] : 0);
    if (!*work->failed && place < count) {
        const i64 row = work->row_starts[segment] + place;
        found.highest = hypotheses->evidence[1 - work->sides[segment]][row];
        found.row = place;
        if (newest) {
            const i64 matches =
                work->match_starts[segment + 1] - work->match_starts[segment];
            const real slope =
                recorded_slope(hypotheses, row, found.highest, newest[segment],
                               (real)matches, channels + WINDOW_SIZE * segment);
            if (fabs(slope) < INFINITE)
                found.highest_slope = slope;
        }
    }
    tell_found(work, found, newest != 0);
}

// Deletes hypotheses and closes the gaps. One block of SEGMENT_THREADS per segment, which
// moves as many rows at a time: all are read before any is written, and no row is written
// that was not read before.
extern "C" __global__ void delete_declining(const Work* work,
                                            const Hypotheses* hypotheses,
                                            const real* least_slopes, i64 min_age,
                                            unsigned char* is_deleted)
{
    __shared__ int kept_until[SEGMENT_THREADS];
    const i64 segment = blockIdx.x;
    const i64 start = work->row_starts[segment];
    const i64 count = work->row_counts[segment];
    const i64 side = work->sides[segment];
    const i64 capacity = hypotheses->capacity;
    real* evidence = hypotheses->evidence[side];
    real* locations = hypotheses->locations[side];
    i64 kept = 0;
    for (i64 first = 0; first < count; first += SEGMENT_THREADS) {
        const i64 place = first + threadIdx.x;
        const i64 row = start + place;
        const bool keep = place < count &&
                          (hypotheses->slopes[row] >= least_slopes[segment] ||
                           hypotheses->ages[row] < min_age);
        if (place < count)
            is_deleted[row] = !keep;
        kept_until[threadIdx.x] = keep;
        __syncthreads();
        for (int step = 1; step < SEGMENT_THREADS; step *= 2) {
            const int before =
                (int)threadIdx.x >= step ? kept_until[threadIdx.x - step] : 0;
            __syncthreads();
            kept_until[threadIdx.x] += before;
            __syncthreads();
        }
        const i64 to = start + kept + kept_until[threadIdx.x] - 1;
        const bool moves = keep && to != row;
        real of_row[13 + WINDOW_SIZE + 1];
        int age = 0;
        unsigned char possible = 0;
        if (moves) {
            of_row[0] = evidence[row];
#pragma unroll
            for (int i = 0; i < 3; ++i)
                of_row[1 + i] = locations[i * capacity + row];
#pragma unroll
            for (int i = 0; i < 9; ++i)
                of_row[4 + i] = hypotheses->poses[i * capacity + row];
#pragma unroll
            for (int i = 0; i < WINDOW_SIZE; ++i)
                of_row[13 + i] = hypotheses->window[i * capacity + row];
            of_row[13 + WINDOW_SIZE] = hypotheses->slopes[row];
            age = hypotheses->ages[row];
            possible = hypotheses->possible[row];
        }
        kept += kept_until[SEGMENT_THREADS - 1];
        __syncthreads();
        if (moves) {
            evidence[to] = of_row[0];
#pragma unroll
            for (int i = 0; i < 3; ++i)
                locations[i * capacity + to] = of_row[1 + i];
#pragma unroll
            for (int i = 0; i < 9; ++i)
                hypotheses->poses[i * capacity + to] = of_row[4 + i];
#pragma unroll
            for (int i = 0; i < WINDOW_SIZE; ++i)
                hypotheses->window[i * capacity + to] = of_row[13 + i];
            hypotheses->slopes[to] = of_row[13 + WINDOW_SIZE];
            hypotheses->ages[to] = age;
            hypotheses->possible[to] = possible;
        }
    }
    if (threadIdx.x == 0)
        work->row_counts[segment] = kept;
}
