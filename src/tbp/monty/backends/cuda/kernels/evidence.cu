// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// The update of evidence: the arithmetic of `numpy/evidence.py`, in the same order.

static __device__ __forceinline__ real cosine(const real* stored, const real* sensed)
{
    const real product =
        (stored[0] * sensed[0] + stored[1] * sensed[1]) + stored[2] * sensed[2];
    // NaN becomes -1, as with `fmax`, which is slower.
    return !(product > (real)-1) ? (real)-1 : product > (real)1 ? (real)1 : product;
}

// Whether sqrt(square) + off_plane >= radius; the root is computed only in doubt.
static __device__ __forceinline__ bool is_beyond(real radius, real square,
                                                 real off_plane)
{
    // The margin is a thousand times the rounding error.
    const real left = radius - off_plane;
    const real margin = radius * (real)(sizeof(real) == 8 ? 1e-12 : 1e-4);
    if (left > margin && square < (left - margin) * (left - margin))
        return false;
    if (left < -margin || square > (left + margin) * (left + margin))
        return true;
    return sqrt(square) + off_plane >= radius;
}

// What a hypothesis expects in an input channel.
struct Expected {
    real at[3], normal[3], direction[3];
};

struct Node {
    real place[3];
    real direction_known;
    real normal[3];
    real direction[3];
};

// Loads place and pose together, so that their latencies overlap. For nodes too far off
// the plane the pose is not needed.
static __device__ __forceinline__ Node node_of(const Channel& channel, unsigned int node)
{
    const Two* place = of_device(channel.places) + 2 * (i64)node;
    const Two* pose = of_device(channel.poses) + 3 * (i64)node;
    const Two xy = place[0], z_known = place[1];
    const Two first = pose[0], second = pose[1], third = pose[2];
    return {{xy.a, xy.b, z_known.a},
            z_known.b,
            {first.a, first.b, second.a},
            {second.b, third.a, third.b}};
}

// The evidence of a node for a hypothesis; -1 if it does not match.
static __device__ __forceinline__ real evidence_of(const Channel& channel,
                                                   unsigned int node,
                                                   const Expected& expected)
{
    const real* at = expected.at;
    const real* normal = expected.normal;
    const Node stored = node_of(channel, node);
    // Loaded before it is known to be needed, to hide its latency.
    const real score = channel.scores ? of_device(channel.scores)[node] : (real)0;
    const real away_x = stored.place[0] - at[0];
    const real away_y = stored.place[1] - at[1];
    const real away_z = stored.place[2] - at[2];
    const real square = (away_x * away_x + away_y * away_y) + away_z * away_z;
    const real off_plane =
        (away_x * normal[0] + away_y * normal[1]) + away_z * normal[2];
    if (is_beyond(channel.radius, square, fabs(off_plane) * channel.plane_factor))
        return NO_MATCH;
    real turned = cosine(stored.normal, normal);
    real value = ((real)0.5 - sqrt(((real)1 - turned) * (real)0.5)) *
                 channel.normal_weight;
    if (channel.direction_known) {
        turned = cosine(stored.direction, expected.direction);
        const real part = ((real)0.5 - sqrt(((real)1 - turned) * ((real)1 + turned))) *
                          stored.direction_known;
        value = value + part * channel.direction_weight;
    }
    return channel.scores ? value + score : value;
}

// Computes what a hypothesis expects in an input channel; returns whether these numbers
// are usable.
static __device__ __forceinline__ bool expect(bool fused, const real* pose,
                                              const real* sensed, Expected& expected)
{
    bool is_usable = true;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        const real x = pose[3 * axis], y = pose[3 * axis + 1], z = pose[3 * axis + 2];
        expected.normal[axis] = dot(fused, x, y, z, sensed[0], sensed[1], sensed[2]);
        expected.direction[axis] = dot(fused, x, y, z, sensed[3], sensed[4], sensed[5]);
        is_usable = is_usable && usable(expected.normal[axis]) &&
                    usable(expected.direction[axis]);
    }
    return is_usable;
}

// The evidence of the best match among the nearest nodes of a hypothesis; -1 without a
// match, and NaN if a value is NaN or infinite.
static __device__ __forceinline__ real best_match(const Channel& channel,
                                                  const Expected& expected)
{
    Nearest nearest;
    find_nearest(channel, expected.at, nearest);
    // If fewer are found than wanted, the others are beyond the radius.
    real best = nearest.count < channel.wanted ? NO_MATCH : -INFINITE;
    bool is_missing = false;
    for (int i = 0; i < nearest.count; ++i) {
        const real value = evidence_of(channel, nearest.nodes[i], expected);
        is_missing = is_missing || !(fabs(value) < INFINITE);
        best = value > best ? value : best;
    }
    return is_missing ? (real)NAN : best;
}

// How many blocks shall fit on a multiprocessor.
#define UPDATE_BLOCKS (896 / UPDATE_THREADS)

// One block per UPDATE_THREADS hypotheses of a segment.
extern "C" __global__ void __launch_bounds__(UPDATE_THREADS, UPDATE_BLOCKS)
    update(const Work* work, const Hypotheses* hypotheses)
{
    __shared__ Segment segment;
    __shared__ Channel channel;
    __shared__ real least[UPDATE_WARPS];
    const int lane = threadIdx.x % WARP;
    const int place = (int)work->block_firsts[blockIdx.x] + (int)threadIdx.x;
    load_record(&segment, work->segments + work->block_owners[blockIdx.x]);
    const bool is_there = place < segment.row_count;
    const bool fused = work->fuse_rotations != 0;
    const i64 row = segment.row_start + place;
    const i64 capacity = hypotheses->capacity;

    // All loads are issued before the first use, so that their latencies overlap.
    real evidence = 0, gain = 0;
    real pose[9];
    Expected expected;
    bool is_tested = false, is_usable = true;
    if (is_there) {
        // What was just deleted from is on the side that is written: each thread reads
        // its own row before it writes it.
        const real* locations = locations_on(hypotheses, segment.sides) + row;
        const real* poses = poses_on(hypotheses, segment.sides) + row;
        real* moved = locations_on(hypotheses, segment.to_sides) + row;
        evidence = evidence_on(hypotheses, segment.sides)[row];
#pragma unroll
        for (int axis = 0; axis < 3; ++axis)
            expected.at[axis] = locations[axis * capacity];
#pragma unroll
        for (int i = 0; i < 9; ++i)
            pose[i] = poses[i * capacity];
        is_usable = usable(evidence);
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            real& at = expected.at[axis];
            if (segment.is_displaced)
                at = at + dot(fused, pose[3 * axis], pose[3 * axis + 1],
                              pose[3 * axis + 2], segment.displacement[0],
                              segment.displacement[1], segment.displacement[2]);
            is_usable = is_usable && usable(at);
            moved[axis * capacity] = at;
        }
        is_tested = is_usable && evidence >= segment.threshold;
    }

    for (int number = 0; number < (int)segment.channels; ++number) {
        load_record(&channel, work->match_channels + segment.first_match + number);
        real new_evidence = INFINITE;
        if (is_tested) {
            const bool is_expected = expect(fused, pose, channel.sensed, expected);
            new_evidence = best_match(channel, expected);
            is_usable = is_usable && is_expected && usable(new_evidence);
            gain = gain + new_evidence;
        }
        // The lowest evidence of those tested: what others gain, unless it is negative.
        if (segment.threshold > -INFINITE) {
            real lowest = new_evidence;
            for (int step = WARP / 2; step > 0; step /= 2)
                lowest = fmin(lowest, __shfl_down_sync(ALL_LANES, lowest, step));
            if (lane == 0)
                least[threadIdx.x / WARP] = lowest;
            __syncthreads();
            if (threadIdx.x == 0) {
                for (int other = 1; other < UPDATE_WARPS; ++other)
                    lowest = fmin(lowest, least[other]);
                work->least[blockIdx.x * work->channels + number] = lowest;
            }
        }
    }

    Found found = nothing_found();
    if (is_there) {
        found.highest_before = evidence;
        found.row_before = place;
        found.gain_before = gain;
        found.tested = is_tested;
        if (!is_usable)
            found.unusable = place;
        if (is_tested)
            evidence = evidence * segment.past_weight + gain * segment.present_weight;
        evidence_on(hypotheses, segment.to_sides)[row] = evidence;
        found.highest = evidence;
        found.row = place;
    }
    tell_found(work, found, false);
}

// One block of COMBINE_THREADS per segment.
extern "C" __global__ void combine(const Work* work, const Hypotheses* hypotheses)
{
    const i64 segment = blockIdx.x;
    const Found found = found_in_segment(work, segment);
    if (threadIdx.x != 0)
        return;
    Result* result = work->results + segment;
    result->tested = found.tested;
    result->unusable = found.unusable == NOTHING ? -1 : found.unusable;
    if (found.unusable != NOTHING)
        *work->failed = 1;
    result->prediction_error = NAN;
    result->untested_gain = 0;
    if (found.tested) {
        const i64 channels =
            work->match_starts[segment + 1] - work->match_starts[segment];
        real untested_gain = 0;
        const bool all_tested = !(work->thresholds[segment] > -INFINITE);
        for (i64 channel = 0; channel < channels && !all_tested; ++channel) {
            real least = INFINITE;
            for (i64 block = work->block_starts[segment];
                 block < work->block_starts[segment + 1]; ++block)
                least = fmin(least, work->least[block * work->channels + channel]);
            untested_gain = untested_gain + fmax((real)0, least);
        }
        const real gain = found.highest_before >= work->thresholds[segment]
                              ? found.gain_before
                              : untested_gain;
        result->untested_gain = untested_gain;
        result->prediction_error = (BEST_MATCH * (real)channels - gain) /
                                   ((BEST_MATCH - NO_MATCH) * (real)channels);
    }
    tell_most_likely(work, hypotheses, segment, found);
}

// Updates the evidence of hypotheses that were not tested. One block per UPDATE_THREADS
// hypotheses of a segment.
extern "C" __global__ void settle_untested(const Work* work,
                                           const Hypotheses* hypotheses)
{
    const i64 segment = work->block_owners[blockIdx.x];
    const i64 place = work->block_firsts[blockIdx.x] + threadIdx.x;
    const Result* result = work->results + segment;
    if (*work->failed || result->tested == 0 ||
        place >= work->row_counts[segment])
        return;
    const i64 row = work->row_starts[segment] + place;
    const real evidence = evidence_on(hypotheses, work->sides[segment])[row];
    if (!(evidence >= work->thresholds[segment]))
        evidence_on(hypotheses, work->to_sides[segment])[row] =
            evidence * work->past_weights[segment] +
            (real)result->untested_gain * work->present_weights[segment];
}
