// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// The nearest nodes of a location: those of `numpy/neighbors.py`.

// A location relative to the grid's origin, in single precision.
static __device__ __forceinline__ float single_of(const Channel& channel, const real* at,
                                                  int axis)
{
    return (float)(at[axis] - channel.origin[axis]);
}

// Finds the cell of a location, and the part of the cell, by number and along each axis.
static __device__ __forceinline__ int cell_of(const Channel& channel, const real* at,
                                              int* part, int* parts)
{
    int here = 0;
    *part = 0;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        const int cells = channel.shape[axis];
        const real scaled = (at[axis] - channel.origin[axis]) * channel.cells_per_unit;
        const int cell = clipped(floor_of(scaled), cells - 1);
        const real rest = (scaled - (real)cell) * (real)PARTS;
        const int along = clipped(floor_of(rest), PARTS - 1);
        here = here * cells + cell;
        *part = *part * PARTS + along;
        parts[axis] = PARTS * cell + along;
    }
    return here;
}

// Finds the list of nodes for a location.
static __device__ __forceinline__ void find_list(const Channel& channel, Sought& sought)
{
    bool is_near = true;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis)
        is_near = is_near && sought.expected.at[axis] >= channel.lowest[axis] &&
                  sought.expected.at[axis] <= channel.highest[axis];
    if (is_near) {
        int part, parts[3];
        const int here = cell_of(channel, sought.expected.at, &part, parts);
        const Cell cell = of_device(channel.cells)[here];
        float square = 0;
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            const float away = single_of(channel, sought.expected.at, axis) -
                               middle_of(parts[axis], channel.part_length);
            square = fmaf(away, away, square);
        }
        const unsigned long long before = cell.mask & ((1ull << part) - 1);
        sought.list = cell.first + __popc((unsigned int)before) +
                      __popc((unsigned int)(before >> 32));
        sought.from_middle = sqrtf(square);
        is_near = cell.mask >> part & 1;
    }
    sought.is_near = is_near;
}

// The nodes in reach of a hypothesis' cell.
static __device__ __forceinline__ const Member* members_of(const Channel& channel,
                                                           int cell, int* count)
{
    const unsigned int* starts = of_device(channel.cell_starts) + cell;
    *count = (int)(starts[1] - starts[0]);
    return of_device(channel.members) + starts[0];
}

static __device__ __forceinline__ real square_of(const Channel& channel,
                                                 unsigned int node, const real* at)
{
    const Two* place = of_device(channel.places) + 2 * (i64)node;
    const Two xy = place[0];
    const real z = place[1].a;
    const real away_x = xy.a - at[0];
    const real away_y = xy.b - at[1];
    const real away_z = z - at[2];
    return (away_x * away_x + away_y * away_y) + away_z * away_z;
}

// Ties are settled by the number of the node, and members are in that order.
static __device__ __forceinline__ bool is_nearer(real square, int place,
                                                 real other_square, int other_place)
{
    return square < other_square || (square == other_square && place < other_place);
}

// How many of the nodes held by the lanes of a warp are within a distance.
template <int USED>
static __device__ __forceinline__ int count_within(const float* squares, float limit)
{
    unsigned int within = 0;
#pragma unroll
    for (int slot = 0; slot < USED; ++slot)
        within += squares[slot] <= limit;
    return (int)sum_in_warp(within);
}

// Searches for a squared distance within which there are as many nodes as wanted, by
// interpolation: on a surface their number grows with the square of the distance.
struct Limit {
    float value;
    float lowest, highest;        // too near and too far
    float below, above;           // how many nodes are within these
    bool is_found;

    // `count` nodes are within `reach`, at least as many as wanted; the first of them is
    // at `nearest`.
    __device__ __forceinline__ Limit(float nearest, float reach, int count, int wanted)
        : value(reach), lowest(nearest), highest(reach), below(0), above((float)count),
          is_found(false)
    {
        if (count > wanted)
            guess(wanted);
    }

    __device__ __forceinline__ void guess(int wanted)
    {
        const float part = ((float)wanted - below + 0.5f) / (above - below + 1.0f);
        value = fmaf(highest - lowest, part, lowest);
    }

    __device__ __forceinline__ void learn(int within, int wanted)
    {
        is_found = within == wanted;
        if (is_found)
            return;
        if (within < wanted) {
            lowest = value;
            below = (float)within;
        } else {
            highest = value;
            above = (float)within;
        }
        guess(wanted);
    }
};

// How many nodes of a list a thread loads at a time, so that the latencies overlap.
#define AHEAD 4

static_assert(LISTED % AHEAD == 0, "lists are read in whole parts");
static_assert(LISTED < 32, "a bit of an integer for each listed node");

struct alignas(2 * AHEAD) Ahead {
    unsigned short nodes[AHEAD];
};

// Keeps the nodes of a list that are within a distance. Returns how many, and the square
// of the distance of the nearest.
static __device__ __forceinline__ int keep_listed(Room& room, const Sought& sought,
                                                  const Nearest* list, float reach,
                                                  float* nearest)
{
    const Member* spots = of_device(room.channel.spots);
    const int count = (int)list->count;
    const float x = single_of(room.channel, sought.expected.at, 0);
    const float y = single_of(room.channel, sought.expected.at, 1);
    const float z = single_of(room.channel, sought.expected.at, 2);
    float* squares = &room.kept.squares[0][threadIdx.x % WARP];
    unsigned short* nodes = &room.kept.nodes[0][threadIdx.x % WARP];
    float least = INFINITY;
    int kept = 0;
    for (int first = 0; first < count; first += AHEAD) {
        const Ahead ahead = ((const Ahead*)list)[first / AHEAD];
        Member near[AHEAD];
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            near[k].x = INFINITY;
            if (first + k < count)
                near[k] = spots[ahead.nodes[k]];
        }
#pragma unroll
        for (int k = 0; k < AHEAD; ++k) {
            const float square = square_between(near[k], x, y, z);
            least = fminf(least, square);
            if (square <= reach) {
                squares[kept * WARP] = square;
                nodes[kept * WARP] = ahead.nodes[k];
                ++kept;
            }
        }
    }
    *nearest = least;
    return kept;
}

// How many of the nodes that a lane has kept are within a distance, and the squared
// distances just below and above it.
struct Count {
    int within;
    float last, next;

    __device__ __forceinline__ Count(const float* squares, int count, float limit)
        : within(0), last(0), next(INFINITY)
    {
#pragma unroll 4
        for (int i = 0; i < count; ++i) {
            const float square = squares[i * WARP];
            if (square <= limit) {
                ++within;
                last = fmaxf(last, square);
            } else {
                next = fminf(next, square);
            }
        }
    }
};

// At most that many distances are tried.
#define MOST_TRIES 24

// The largest float below one; a product with it is the next smaller float.
#define LESS 0.99999994f

// The nearest of the nodes that were kept, as many as are wanted: one bit for each. Zero
// if rounding may have changed which they are, or if a node beyond `known`, which was not
// kept, may be one of them. `limit` is tried first.
static __device__ __forceinline__ unsigned int nearest_of(const Room& room, int count,
                                                          Limit limit, float known)
{
    const int wanted = room.channel.wanted;
    const float tolerance = room.channel.tolerance;
    const float* squares = &room.kept.squares[0][threadIdx.x % WARP];
    float last = 0, edge = 0;
#pragma unroll 1
    for (int tried = 0; tried < MOST_TRIES; ++tried) {
        const Count counted(squares, count, limit.value);
        // With one too many or too few, it is known which one.
        if (counted.within == wanted + 1) {
            edge = counted.last * LESS;
            last = edge - tolerance;
            break;
        }
        last = counted.within < wanted ? counted.next : counted.last;
        edge = last + tolerance;
        if (counted.within == wanted || counted.within == wanted - 1)
            break;
        limit.learn(counted.within, wanted);
    }
    unsigned int taken = 0, near = 0;
#pragma unroll 4
    for (int i = 0; i < count; ++i) {
        const float square = squares[i * WARP];
        taken |= (unsigned int)(square <= last) << i;
        near |= (unsigned int)(square <= edge) << i;
    }
    return taken == near && __popc(taken) == wanted && edge <= known ? taken : 0;
}
