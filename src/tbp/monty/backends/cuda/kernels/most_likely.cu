// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// The most likely hypotheses, by warps and then by segments.

static __device__ __forceinline__ bool is_better(real value, i64 row, real other,
                                                 i64 other_row)
{
    return value > other || (value == other && row < other_row);
}

// Merges the results of two parts of a segment. Either may be empty.
static __device__ __forceinline__ void join(Found& into, const Found& other)
{
    if (is_better(other.highest_before, other.row_before, into.highest_before,
                  into.row_before)) {
        into.highest_before = other.highest_before;
        into.row_before = other.row_before;
        into.gain_before = other.gain_before;
    }
    if (is_better(other.highest, other.row, into.highest, into.row)) {
        into.highest = other.highest;
        into.row = other.row;
    }
    into.highest_slope = fmax(into.highest_slope, other.highest_slope);
    into.tested += other.tested;
    into.unusable = other.unusable < into.unusable ? other.unusable : into.unusable;
}

#define NOTHING 0x7fffffffffffffffLL

static __device__ __forceinline__ Found nothing_found()
{
    Found found;
    found.highest_before = found.highest = found.highest_slope = -INFINITE;
    found.row_before = found.row = found.unusable = NOTHING;
    found.gain_before = 0;
    found.tested = 0;
    return found;
}

static __device__ __forceinline__ Found found_by(const Found& found, int lanes_on)
{
    Found other;
    other.highest_before = __shfl_down_sync(ALL_LANES, found.highest_before, lanes_on);
    other.row_before = __shfl_down_sync(ALL_LANES, found.row_before, lanes_on);
    other.gain_before = __shfl_down_sync(ALL_LANES, found.gain_before, lanes_on);
    other.highest = __shfl_down_sync(ALL_LANES, found.highest, lanes_on);
    other.row = __shfl_down_sync(ALL_LANES, found.row, lanes_on);
    other.highest_slope = __shfl_down_sync(ALL_LANES, found.highest_slope, lanes_on);
    other.tested = __shfl_down_sync(ALL_LANES, found.tested, lanes_on);
    other.unusable = __shfl_down_sync(ALL_LANES, found.unusable, lanes_on);
    return other;
}

// Reduces the results of the lanes of a warp; the first lane has the result.
static __device__ __forceinline__ Found found_in_warp(Found found)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        join(found, found_by(found, step));
    return found;
}

// The first lane with the highest value.
static __device__ __forceinline__ int lane_of_highest(real value)
{
    const unsigned long long key = order_of(value);
    const unsigned int upper = (unsigned int)(key >> 32), lower = (unsigned int)key;
    const bool is_highest = upper == highest_of(upper);
    // By all lanes: a warp reduction waits for each of them.
    const unsigned int highest_lower = highest_of(is_highest ? lower : 0);
    return lowest_bit(
        __ballot_sync(ALL_LANES, is_highest && lower == highest_lower));
}

// Writes the result of a warp, whose lanes have hypotheses in order. Per warp and not per
// block: the warps of a block would have to wait for each other.
static __device__ __forceinline__ void tell_found(const Work* work, const Found& found,
                                                  bool has_slopes)
{
    const int best_before = lane_of_highest(found.highest_before);
    const int best = lane_of_highest(found.highest);
    const unsigned int unusable =
        __ballot_sync(ALL_LANES, found.unusable != NOTHING);
    Found all;
    all.highest_before = __shfl_sync(ALL_LANES, found.highest_before, best_before);
    all.row_before = __shfl_sync(ALL_LANES, found.row_before, best_before);
    all.gain_before = __shfl_sync(ALL_LANES, found.gain_before, best_before);
    all.highest = __shfl_sync(ALL_LANES, found.highest, best);
    all.row = __shfl_sync(ALL_LANES, found.row, best);
    all.highest_slope = has_slopes ? highest_in_warp(found.highest_slope) : -INFINITE;
    all.tested = __popc(__ballot_sync(ALL_LANES, found.tested != 0));
    all.unusable = NOTHING;
    if (unusable)
        all.unusable =
            __shfl_sync(ALL_LANES, found.unusable, lowest_bit(unusable));
    if (threadIdx.x % WARP == 0)
        work->found[UPDATE_WARPS * (i64)blockIdx.x + threadIdx.x / WARP] = all;
}

static_assert(COMBINE_THREADS == WARP, "a block of one warp");

// Reduces the results of the warps of a segment, by a block of one warp.
static __device__ __forceinline__ Found found_in_segment(const Work* work, i64 segment)
{
    Found found = nothing_found();
#pragma unroll 4
    for (i64 warp = UPDATE_WARPS * work->block_starts[segment] + threadIdx.x;
         warp < UPDATE_WARPS * work->block_starts[segment + 1]; warp += COMBINE_THREADS)
        join(found, work->found[warp]);
    return found_in_warp(found);
}

// Copies the location and the pose of a hypothesis.
static __device__ __forceinline__ void tell_row(const Hypotheses* hypotheses, i64 sides,
                                                i64 row, double* location, double* pose)
{
    const i64 capacity = hypotheses->capacity;
    for (int i = 0; i < 3; ++i)
        location[i] = locations_on(hypotheses, sides)[i * capacity + row];
    for (int i = 0; i < 9; ++i)
        pose[i] = poses_on(hypotheses, sides)[i * capacity + row];
}

// Writes which hypothesis is the most likely, and its location and pose. By one thread.
static __device__ __forceinline__ void tell_most_likely(const Work* work,
                                                        const Hypotheses* hypotheses,
                                                        i64 segment,
                                                        const Found& found)
{
    Result* result = work->results + segment;
    result->count = work->row_counts[segment];
    result->sides = work->to_sides[segment];
    result->highest = found.highest;
    result->highest_slope = found.highest_slope;
    result->most_likely = found.row == NOTHING ? -1 : found.row;
    if (found.row == NOTHING) {
        for (int i = 0; i < 3; ++i)
            result->location[i] = NAN;
        for (int i = 0; i < 9; ++i)
            result->pose[i] = NAN;
        return;
    }
    tell_row(hypotheses, work->to_sides[segment], work->row_starts[segment] + found.row,
             result->location, result->pose);
}

// The most likely hypothesis of those that a thread has looked at.
struct Likely {
    real highest;
    i64 row;
    bool is_tied;  // whether another one is as likely
};

static __device__ __forceinline__ Likely likelier(const Likely& one, const Likely& other)
{
    if (other.row == NOTHING || one.highest > other.highest)
        return one;
    if (one.row == NOTHING || other.highest > one.highest)
        return other;
    return {one.highest, one.row, true};
}

// Finds the second most likely hypothesis of each segment, unless others are as likely:
// which of them comes first is a matter of the sort. Before that, if `record` was
// launched, the most likely one. Counts what was appended, if `added` is not null. One
// block of SEGMENT_THREADS per segment, the last to be launched of a step.
extern "C" __global__ void find_likely(const Work* work, const Hypotheses* hypotheses,
                                       const i64* added, i64 is_recorded)
{
    __shared__ Likely likely[SEGMENT_THREADS];
    const i64 segment = blockIdx.x, sides = work->to_sides[segment];
    const i64 start = work->row_starts[segment];
    const real* evidence = evidence_on(hypotheses, sides) + start;
    Result* result = work->results + segment;
    if (is_recorded && threadIdx.x < WARP) {
        const Found found = found_in_segment(work, segment);
        if (threadIdx.x == 0 && !*work->failed) {
            work->row_counts[segment] += added ? added[segment] : 0;
            tell_most_likely(work, hypotheses, segment, found);
        }
    }
    __syncthreads();
    Likely own = {-INFINITE, NOTHING, false};
    for (i64 place = threadIdx.x; place < work->row_counts[segment];
         place += SEGMENT_THREADS)
        if (place != result->most_likely)
            own = likelier(own, {evidence[place], place, false});
    likely[threadIdx.x] = own;
    __syncthreads();
    for (int step = SEGMENT_THREADS / 2; step > 0; step /= 2) {
        if ((int)threadIdx.x < step)
            likely[threadIdx.x] =
                likelier(likely[threadIdx.x], likely[threadIdx.x + step]);
        __syncthreads();
    }
    if (threadIdx.x)
        return;
    const Likely second = likely[0];
    const bool is_known = second.row != NOTHING && !second.is_tied &&
                          second.highest != (real)result->highest;
    result->second_most_likely = is_known ? second.row : -1;
    result->second_highest = second.highest;
    if (is_known)
        tell_row(hypotheses, sides, start + second.row, result->second_location,
                 result->second_pose);
}
