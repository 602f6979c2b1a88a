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
// input channels are behind each slot; of the newest slot it is `newest_channels`. The
// slot that is written is not one of the last WINDOW_SIZE before this step.
static __device__ __forceinline__ real recorded_slope(real* window, i64 capacity,
                                                      real evidence, i64 newest,
                                                      real newest_channels,
                                                      const real* channels)
{
    window[newest * capacity] = evidence;
    // From the oldest slot to the newest.
    i64 slot = (newest + WINDOW_SLOTS - (WINDOW_SIZE - 1)) % WINDOW_SLOTS;
    real before = window[slot * capacity];
    int known = 0;
    NumpySum sum(WINDOW_SIZE - 1);
#pragma unroll
    for (int i = 0; i < WINDOW_SIZE - 1; ++i) {
        slot = slot + 1 < WINDOW_SLOTS ? slot + 1 : 0;
        const real after = window[slot * capacity];
        const real change =
            (after - before) / (slot == newest ? newest_channels : channels[slot]);
        before = after;
        const bool is_known = !(change != change);
        known += is_known;
        sum.add(is_known ? change : (real)0);
    }
    return known ? sum.value() / (real)known : (real)NAN;
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
    const i64 before = work->row_counts[segment];
    const i64 count = before + (added ? added[segment] : 0);
    if (!*work->failed && place < count) {
        const i64 row = work->row_starts[segment] + place;
        const i64 sides = work->sides[segment], to_sides = work->to_sides[segment];
        found.highest = evidence_on(hypotheses, to_sides)[row];
        found.row = place;
        if (newest) {
            const i64 matches =
                work->match_starts[segment + 1] - work->match_starts[segment];
            const real slope = recorded_slope(
                window_on(hypotheses, to_sides) + row, hypotheses->capacity,
                found.highest, newest[segment], (real)matches,
                channels + WINDOW_SLOTS * segment);
            const i64 aged_on = place < before ? sides : to_sides;
            ages_on(hypotheses, to_sides)[row] = ages_on(hypotheses, aged_on)[row] + 1;
            slopes_on(hypotheses, to_sides)[row] = slope;
            if (fabs(slope) < INFINITE)
                found.highest_slope = slope;
        }
    }
    tell_found(work, found, newest != 0);
}

// Whether a hypothesis of a segment is to be kept.
static __device__ __forceinline__ bool is_kept(const Hypotheses* hypotheses, i64 sides,
                                               i64 row, real least_slope, i64 min_age)
{
    return slopes_on(hypotheses, sides)[row] >= least_slope ||
           ages_on(hypotheses, sides)[row] < min_age;
}

// Deletes hypotheses: those that are kept are copied to the other side of all columns,
// without gaps, which then is the side to read. A segment that keeps all stays where it
// is. One block of SEGMENT_THREADS per segment.
extern "C" __global__ void delete_declining(const Work* work,
                                            const Hypotheses* hypotheses,
                                            const real* least_slopes, i64 min_age,
                                            unsigned char* is_deleted)
{
    __shared__ int kept_until[SEGMENT_THREADS];
    __shared__ int some_are_deleted;
    const i64 segment = blockIdx.x;
    const i64 start = work->row_starts[segment], count = work->row_counts[segment];
    const i64 sides = work->sides[segment], capacity = hypotheses->capacity;
    const real least_slope = least_slopes[segment];
    if (threadIdx.x == 0)
        some_are_deleted = 0;
    __syncthreads();
    for (i64 place = threadIdx.x; place < count; place += SEGMENT_THREADS) {
        const bool keep =
            is_kept(hypotheses, sides, start + place, least_slope, min_age);
        is_deleted[start + place] = !keep;
        if (!keep)
            some_are_deleted = 1;
    }
    __syncthreads();
    if (!some_are_deleted)
        return;
    const i64 to_sides = sides ^ ALL_SIDES;
    i64 kept = 0;
    for (i64 first = 0; first < count; first += SEGMENT_THREADS) {
        const i64 place = first + threadIdx.x;
        const i64 row = start + place;
        const bool keep = place < count && is_kept(hypotheses, sides, row, least_slope,
                                                   min_age);
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
        if (keep) {
            evidence_on(hypotheses, to_sides)[to] = evidence_on(hypotheses, sides)[row];
            slopes_on(hypotheses, to_sides)[to] = slopes_on(hypotheses, sides)[row];
            ages_on(hypotheses, to_sides)[to] = ages_on(hypotheses, sides)[row];
#pragma unroll
            for (int i = 0; i < 3; ++i)
                locations_on(hypotheses, to_sides)[i * capacity + to] =
                    locations_on(hypotheses, sides)[i * capacity + row];
#pragma unroll
            for (int i = 0; i < 9; ++i)
                poses_on(hypotheses, to_sides)[i * capacity + to] =
                    poses_on(hypotheses, sides)[i * capacity + row];
#pragma unroll
            for (int i = 0; i < WINDOW_SLOTS; ++i)
                window_on(hypotheses, to_sides)[i * capacity + to] =
                    window_on(hypotheses, sides)[i * capacity + row];
        }
        kept += kept_until[SEGMENT_THREADS - 1];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        work->row_counts[segment] = kept;
        work->sides[segment] = to_sides;
        work->to_sides[segment] = to_sides;
    }
}
