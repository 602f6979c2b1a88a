// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// The update of evidence: the arithmetic of `numpy/evidence.py`, in the same order.

// The components of the sensed vector have a stride of `apart`.
template <int apart>
static __device__ __forceinline__ real cosine(const real* stored, const real* sensed)
{
    const real product = (stored[0] * sensed[0] + stored[1] * sensed[apart]) +
                         stored[2] * sensed[2 * apart];
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
    if (channel.singles) {
        const Single single = of_device(channel.singles)[node];
        return {{single.place[0], single.place[1], single.place[2]},
                single.direction_known,
                {single.normal[0], single.normal[1], single.normal[2]},
                {single.direction[0], single.direction[1], single.direction[2]}};
    }
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
    real turned = cosine<1>(stored.normal, normal);
    real value = ((real)0.5 - sqrt(((real)1 - turned) * (real)0.5)) *
                 channel.normal_weight;
    if (channel.direction_known) {
        turned = cosine<WARP>(stored.direction, expected.direction);
        const real part = ((real)0.5 - sqrt(((real)1 - turned) * ((real)1 + turned))) *
                          stored.direction_known;
        value = value + part * channel.direction_weight;
    }
    return channel.scores ? value + score : value;
}

// Why the list does not determine the nearest nodes of a hypothesis.
#define NOT_LISTED 1
#define CLOSE 2
#define TOO_MANY 3

// Computes the evidence of the nodes that were taken, by all lanes of the warp, and
// stores the best match of the hypothesis.
static __device__ __forceinline__ void look_at_taken(Room& room, int count, int owner,
                                                     real best)
{
    const int lane = threadIdx.x % WARP;
    Shared& shared = room.shared;
    const Expected expected = expected_of(room, owner);
    for (int place = lane; place < count; place += WARP) {
        const real value =
            evidence_of(room.channel, shared.taken[place], expected);
        if (!(fabs(value) < INFINITE))
            shared.is_missing[owner] = 1;
        best = value > best ? value : best;
    }
    __syncwarp();
    best = highest_in_warp(best);
    if (lane == 0)
        shared.best[owner] = best;
}

// The best match of a hypothesis whose nearest nodes single precision cannot tell: by all
// lanes of the warp, from unrounded distances. The first lane has the result.
static __device__ __forceinline__ real best_of_exactly_nearest(Room& room, int owner)
{
    const int lane = threadIdx.x % WARP;
    const Channel& channel = room.channel;
    Shared& shared = room.shared;
    int count;
    const Member* members = members_of(channel, shared.cell[owner], &count);
    const Expected expected = expected_of(room, owner);
    // Squares that do not fit into shared memory are recomputed.
    const int kept = count < EXACT ? count : EXACT;
    for (int i = lane; i < kept; i += WARP)
        shared.exact[i] = square_of(channel, members[i].node, expected.at);
    __syncwarp();
    real best = -INFINITE, missing = 0;
    for (int first = 0; first < count; first += WARP) {
        const int place = first + lane;
        const bool is_member = place < count;
        const unsigned int node = members[is_member ? place : 0].node;
        const real square = square_of(channel, node, expected.at);
        int nearer = 0;
        for (int i = 0; i < kept; ++i)
            nearer += is_nearer(shared.exact[i], i, square, place);
        for (int i = kept; i < count; ++i)
            nearer += is_nearer(square_of(channel, members[i].node, expected.at), i,
                                square, place);
        if (is_member && nearer < channel.wanted) {
            const real value = evidence_of(channel, node, expected);
            best = fmax(best, value);
            missing = missing + value * (real)0;
        }
    }
    __syncwarp();
    for (int step = WARP / 2; step > 0; step /= 2) {
        best = fmax(best, __shfl_down_sync(ALL_LANES, best, step));
        missing = missing + __shfl_down_sync(ALL_LANES, missing, step);
    }
    return best + missing;
}

// For more nodes than fit into the registers of a warp: one thread visits all nodes in
// reach, in the order of distance and then of number.
static __device__ __forceinline__ real best_of_nearest(const Room& room)
{
    const Channel& channel = room.channel;
    const Shared& shared = room.shared;
    const int lane = threadIdx.x % WARP;
    int count;
    const Member* members = members_of(channel, shared.cell[lane], &count);
    const Expected expected = expected_of(room, lane);
    real best = -INFINITE, missing = 0;
    real last = -1;
    unsigned int last_node = 0;
    for (int k = 0; k < channel.wanted; ++k) {
        real nearest = INFINITE;
        unsigned int nearest_node = 0;
        for (int i = 0; i < count; ++i) {
            const unsigned int node = members[i].node;
            const real square = square_of(channel, node, expected.at);
            const bool is_after = square > last || (square == last && node > last_node);
            if (is_after && square < nearest) {
                nearest = square;
                nearest_node = node;
            }
        }
        const real value = evidence_of(channel, nearest_node, expected);
        best = fmax(best, value);
        missing = missing + value * (real)0;
        last = nearest;
        last_node = nearest_node;
    }
    return best + missing;
}

// Searches the members of a cell for one hypothesis, by all lanes of the warp.
template <int USED>
static __device__ __forceinline__ void search_members(Room& room, int owner,
                                                      const Member* members, int count)
{
    const int lane = threadIdx.x % WARP;
    const Channel& channel = room.channel;
    Shared& shared = room.shared;
    const int wanted = channel.wanted;
    float squares[USED];
    unsigned int nodes[USED];
#pragma unroll
    for (int slot = 0; slot < USED; ++slot) {
        const int place = slot * WARP + lane;
        squares[slot] = INFINITY;
        nodes[slot] = 0;
        if (place < count) {
            const Member member = members[place];
            squares[slot] = square_between(member, shared.at_32[0][owner],
                                           shared.at_32[1][owner],
                                           shared.at_32[2][owner]);
            nodes[slot] = member.node;
        }
    }
    const int found = count_within<USED>(squares, channel.reach);
    Limit limit(0, channel.reach, found > 0 ? found : 1, wanted);
    bool is_close = false;
    if (found > wanted) {
        for (int tried = 0; tried < MOST_TRIES && !limit.is_found; ++tried)
            limit.learn(count_within<USED>(squares, limit.value), wanted);
        is_close = !limit.is_found ||
                   count_within<USED>(squares, limit.value + channel.tolerance) != wanted;
    }
    int taken = 0;
    __syncwarp();
    if (!is_close) {
#pragma unroll
        for (int slot = 0; slot < USED; ++slot) {
            const bool is_taken = squares[slot] <= limit.value;
            const unsigned int lanes = __ballot_sync(ALL_LANES, is_taken);
            if (is_taken)
                shared.taken[taken + __popc(lanes & ((1u << lane) - 1))] = nodes[slot];
            taken += __popc(lanes);
        }
    }
    __syncwarp();
    look_at_taken(room, taken, owner, found < wanted ? NO_MATCH : -INFINITE);
    if (lane == 0)
        shared.is_undecided[owner] = is_close ? CLOSE : 0;
    __syncwarp();
}

// How many members of a cell one lane holds where a warp searches for one hypothesis.
// With more members, one thread searches alone.
#define MEMBER_SLOTS 16

static __device__ __forceinline__ void search_cell(Room& room, int owner)
{
    int count;
    const Member* members = members_of(room.channel, room.shared.cell[owner], &count);
    if (count <= 2 * WARP)
        search_members<2>(room, owner, members, count);
    else if (count <= 4 * WARP)
        search_members<4>(room, owner, members, count);
    else if (count <= MEMBER_SLOTS * WARP)
        search_members<MEMBER_SLOTS>(room, owner, members, count);
    else if (threadIdx.x % WARP == 0)
        room.shared.is_undecided[owner] = TOO_MANY;
    __syncwarp();
}

// Finds the best matches that lists do not determine. Not inlined: it is rarely called,
// and would raise the register count of the kernel.
static __device__ __noinline__ void decide(Room* room)
{
    const int lane = threadIdx.x % WARP;
    Shared& shared = room->shared;
    unsigned int owners =
        __ballot_sync(ALL_LANES, shared.is_undecided[lane] == NOT_LISTED);
    for (; owners; owners &= owners - 1)
        search_cell(*room, lowest_bit(owners));
    owners = __ballot_sync(ALL_LANES, shared.is_undecided[lane] == CLOSE);
    for (; owners; owners &= owners - 1) {
        const int owner = lowest_bit(owners);
        const real best = best_of_exactly_nearest(*room, owner);
        if (lane == 0)
            shared.best[owner] = best;
    }
    __syncwarp();
    if (shared.is_undecided[lane] == TOO_MANY)
        shared.best[lane] = best_of_nearest(*room);
    __syncwarp();
}

// The evidence of the best match among the nearest nodes, for the hypothesis of each
// lane; -1 without a match, and NaN if a value is NaN or infinite.
static __device__ __forceinline__ real best_match(Room* rooms, const Sought& sought)
{
    const int lane = threadIdx.x % WARP;
    const Channel& channel = own(rooms).channel;
    const int wanted = channel.wanted;
    real best = NO_MATCH;
    int undecided = 0;
    bool is_missing = false;
    if (sought.is_near) {
        // The list is complete within this distance. The margin is many times the
        // rounding error.
        const Nearest* list = of_device(channel.lists) + sought.list;
        const float clear = list->others - sought.from_middle - channel.rounding;
        const float clear_square = clear * fabsf(clear) - 2 * channel.tolerance;
        const bool is_all = clear_square >= channel.reach;
        const float reach = is_all ? channel.reach : clear_square;
        float nearest;
        const int count = keep_listed(own(rooms), sought, list, reach, &nearest);
        // If fewer are found, the others are beyond the radius.
        if (count >= wanted)
            best = -INFINITE;
        unsigned int taken = (1u << count) - 1;
        if (!is_all && count < wanted) {
            undecided = NOT_LISTED;
            taken = 0;
        } else if (count > wanted || (!is_all && count == wanted)) {
            // If the list may miss nodes, the first try stays below its limit.
            taken = nearest_of(
                own(rooms), count,
                Limit(nearest, is_all ? reach : reach - channel.tolerance, count, wanted),
                is_all ? INFINITY : reach);
            undecided = taken ? 0 : CLOSE;
        }
        const Room& room = own(rooms);
#pragma unroll 1
        for (; taken; taken &= taken - 1) {
            const unsigned int node = room.kept.nodes[lowest_bit(taken)][lane];
            const real value = evidence_of(room.channel, node, sought.expected);
            is_missing = is_missing || !(fabs(value) < INFINITE);
            best = value > best ? value : best;
        }
    }
    if (__ballot_sync(ALL_LANES, undecided)) {
        Room& room = own(rooms);
        Shared& shared = room.shared;
        // `kept` is no longer read; `shared` takes its memory.
        __syncwarp();
        for (int axis = 0; axis < 3; ++axis) {
            shared.at[axis][lane] = sought.expected.at[axis];
            shared.normal[axis][lane] = sought.expected.normal[axis];
            shared.at_32[axis][lane] = single_of(room.channel, sought.expected.at, axis);
        }
        int part, parts[3];
        shared.cell[lane] = cell_of(room.channel, sought.expected.at, &part, parts);
        shared.best[lane] = best;
        shared.is_missing[lane] = is_missing;
        shared.is_undecided[lane] = (unsigned char)undecided;
        __syncwarp();
        decide(&room);
        best = shared.best[lane];
        is_missing = shared.is_missing[lane];
        // `kept` may take the memory again.
        __syncwarp();
    }
    return is_missing ? (real)NAN : best;
}

// Computes what a hypothesis expects in an input channel, and finds its list of nodes.
// Returns whether its numbers are usable.
static __device__ __forceinline__ bool begin_search(Room& room, bool fused,
                                                    const real* pose, Sought& sought)
{
    const int lane = threadIdx.x % WARP;
    const real* sensed = room.channel.sensed;
    bool is_usable = true;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        const real x = pose[3 * axis], y = pose[3 * axis + 1], z = pose[3 * axis + 2];
        const real normal = dot(fused, x, y, z, sensed[0], sensed[1], sensed[2]);
        const real direction = dot(fused, x, y, z, sensed[3], sensed[4], sensed[5]);
        is_usable = is_usable && usable(normal) && usable(direction);
        sought.expected.normal[axis] = normal;
        room.direction[axis][lane] = direction;
    }
    sought.expected.direction = &room.direction[0][lane];
    find_list(room.channel, sought);
    return is_usable;
}

// The best match in an input channel after the first. Reads location and pose again, and
// is not inlined, as either would raise the register count of the kernel.
static __device__ __noinline__ real best_match_in_channel(Room* rooms,
                                                          const Hypotheses* hypotheses,
                                                          i64 row, bool fused)
{
    const int lane = threadIdx.x % WARP;
    Room* room = &own(rooms);
    Sought sought = Sought();
    if (room->is_tested[lane]) {
        const i64 capacity = hypotheses->capacity;
        const real* moved =
            of_device(hypotheses->locations[1 - room->segment.side] + row);
        const real* poses = of_device(hypotheses->poses + row);
        real pose[9];
        for (int axis = 0; axis < 3; ++axis)
            sought.expected.at[axis] = moved[axis * capacity];
        for (int i = 0; i < 9; ++i)
            pose[i] = poses[i * capacity];
        if (!begin_search(*room, fused, pose, sought))
            room->is_usable[lane] = 0;
    }
    return best_match(rooms, sought);
}

// How many blocks shall fit on a multiprocessor.
#define UPDATE_BLOCKS (896 / UPDATE_THREADS)

// One block per UPDATE_THREADS hypotheses of a segment.
extern "C" __global__ void __launch_bounds__(UPDATE_THREADS, UPDATE_BLOCKS)
    update(const Work* work, const Hypotheses* hypotheses)
{
    __shared__ Room rooms[UPDATE_WARPS];
    __shared__ real least[UPDATE_WARPS];
    const int lane = threadIdx.x % WARP;
    const int warp = threadIdx.x / WARP;
    Room& room = rooms[warp];
    const Segment& segment = room.segment;

    const int place = (int)work->block_firsts[blockIdx.x] + (int)threadIdx.x;
    load_record(&room.segment, work->segments + work->block_owners[blockIdx.x]);
    const bool is_there = place < segment.row_count;
    const bool fused = work->fuse_rotations != 0;

    // All loads are issued before the first use, so that their latencies overlap.
    real evidence = 0, gain = 0;
    Sought sought = Sought();
    real* at = sought.expected.at;
    real pose[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    if (is_there) {
        const i64 row = segment.row_start + place;
        const i64 capacity = hypotheses->capacity;
        const real* poses = of_device(hypotheses->poses + row);
        const real* locations = of_device(hypotheses->locations[segment.side] + row);
        evidence = of_device(hypotheses->evidence[segment.side])[row];
#pragma unroll
        for (int axis = 0; axis < 3; ++axis)
            at[axis] = locations[axis * capacity];
#pragma unroll
        for (int i = 0; i < 9; ++i)
            pose[i] = poses[i * capacity];
    }
    load_record(&room.channel, work->match_channels + segment.first_match);

    bool is_tested = false, is_usable = true;
    room.evidence[lane] = evidence;
    if (is_there) {
        const i64 row = segment.row_start + place;
        const i64 capacity = hypotheses->capacity;
        real* moved = of_device(hypotheses->locations[1 - segment.side] + row);
        is_usable = usable(evidence);
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            if (segment.is_displaced)
                at[axis] = at[axis] + dot(fused, pose[3 * axis], pose[3 * axis + 1],
                                          pose[3 * axis + 2], segment.displacement[0],
                                          segment.displacement[1],
                                          segment.displacement[2]);
            is_usable = is_usable && usable(at[axis]);
            moved[axis * capacity] = at[axis];
        }
        is_tested = is_usable && evidence >= segment.threshold;
    }

    room.is_tested[lane] = is_tested;
    if (is_tested)
        is_usable = begin_search(room, fused, pose, sought);
    room.is_usable[lane] = is_usable;

    real new_evidence = best_match(rooms, sought);
    for (int number = 0;;) {
        Room& room = own(rooms);
        if (room.is_tested[lane]) {
            if (!usable(new_evidence))
                room.is_usable[lane] = 0;
            gain = gain + new_evidence;
        }
        // The lowest evidence of those tested: what others gain, unless it is negative.
        if (room.segment.threshold > -INFINITE) {
            real lowest = room.is_tested[lane] ? new_evidence : INFINITE;
            for (int step = WARP / 2; step > 0; step /= 2)
                lowest = fmin(lowest, __shfl_down_sync(ALL_LANES, lowest, step));
            if (lane == 0)
                least[warp] = lowest;
            __syncthreads();
            if (threadIdx.x == 0) {
                for (int other = 1; other < UPDATE_WARPS; ++other)
                    lowest = fmin(lowest, least[other]);
                work->least[blockIdx.x * work->channels + number] = lowest;
            }
            __syncthreads();
        }
        if (++number >= (int)room.segment.channels)
            break;
        load_record(&room.channel,
                    work->match_channels + room.segment.first_match + number);
        new_evidence = best_match_in_channel(rooms, hypotheses,
                                             room.segment.row_start + place, fused);
    }

    Found found = nothing_found();
    if (is_there) {
        const Room& room = own(rooms);
        evidence = room.evidence[lane];
        found.highest_before = evidence;
        found.row_before = place;
        found.gain_before = gain;
        found.tested = room.is_tested[lane];
        if (!room.is_usable[lane])
            found.unusable = place;
        if (room.is_tested[lane])
            evidence = evidence * room.segment.past_weight +
                       gain * room.segment.present_weight;
        const i64 row = room.segment.row_start + place;
        of_device(hypotheses->evidence[1 - room.segment.side])[row] = evidence;
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
    const i64 side = work->sides[segment];
    const real evidence = hypotheses->evidence[side][row];
    if (!(evidence >= work->thresholds[segment]))
        hypotheses->evidence[1 - side][row] =
            evidence * work->past_weights[segment] +
            (real)result->untested_gain * work->present_weights[segment];
}
