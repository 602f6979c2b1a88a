// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// The evidence update on a GPU: the arithmetic of `numpy/evidence.py`, in the same order.
//
// Compiled without contraction and without fast-math, so that float64 results equal
// those of the numpy statement to the last bit. Where a multiplication and an addition
// are to be fused, that is said.
//
// An update does not overwrite what it reads: evidence and locations have two sides,
// and a launch reads one and writes the other. If the numbers of a hypothesis are
// unusable, the host keeps the old side, and everything is as it was.
//
// Tests compile this very text for the CPU as well, with threads as fibres. So it uses
// nothing but indices, shared memory, barriers, votes, sums and shuffles of warps.

#ifdef __CUDACC_RTC__  // which has no headers of the C library
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#endif

#define INFINITE ((real)INFINITY)

// How many blocks of UPDATE_THREADS a multiprocessor shall have room for.
#define UPDATE_BLOCKS (896 / UPDATE_THREADS)
#define SCORE_BLOCKS (1024 / UPDATE_THREADS)
// So few feature columns are added one after the other, see `NumpySum`.
#define FEW_COLUMNS 7

#define ALL_LANES 0xffffffffu
// How many nodes of a list a thread loads at a time, to have them all on their way.
#define AHEAD 4
// How many of the members of a cell a lane has, where a whole warp searches for one
// hypothesis. With more members, a thread looks for the nearest by itself.
#define MEMBER_SLOTS 16
// How often a distance is tried that leaves as many nodes as are wanted.
#define GLANCES 24

// What rounding to single precision does to distances, many times over.
static __device__ __forceinline__ float rounding_of(float tolerance, real radius)
{
    return 2 * tolerance / (float)radius;
}

static __device__ __forceinline__ float part_length_of(const Box* box)
{
    return (float)((real)1 / (PARTS * box->cells_per_unit));
}

struct alignas(2 * AHEAD) Ahead {
    unsigned short nodes[AHEAD];
};

// Only nodes with lower numbers are listed.
#define NODES_LISTED 0x10000u

// Tells the compiler that a pointer is one into a device's own memory.
template <typename Value>
static __device__ __forceinline__ Value* of_device(Value* pointer)
{
#ifdef __CUDACC__
    __builtin_assume(__isGlobal(pointer));
#endif
    return pointer;
}

// The sum of what the lanes of a warp have, for each of them.
static __device__ __forceinline__ unsigned int sum_in_warp(unsigned int value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    for (int step = 1; step < WARP; step *= 2)
        value += __shfl_xor_sync(ALL_LANES, value, step);
    return value;
#else
    return __reduce_add_sync(ALL_LANES, value);
#endif
}

// The highest of them.
static __device__ __forceinline__ unsigned int highest_of(unsigned int value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
    for (int step = 1; step < WARP; step *= 2) {
        const unsigned int other = __shfl_xor_sync(ALL_LANES, value, step);
        value = other > value ? other : value;
    }
    return value;
#else
    return __reduce_max_sync(ALL_LANES, value);
#endif
}

// The bits of a number, and the greatest integer that is not above it; if that is too
// large or too small, the nearest.
static __device__ __forceinline__ i64 bits_of(double x)
{
    return __double_as_longlong(x);
}

static __device__ __forceinline__ int floor_of(double x)
{
    return __double2int_rd(x);
}

static __device__ __forceinline__ int floor_of(float x)
{
    return __float2int_rd(x);
}

// --- Rounding ---------------------------------------------------------------------------

static __device__ __forceinline__ real dot(bool fused, real a0, real a1, real a2,
                                           real b0, real b1, real b2)
{
    real total = a0 * b0;
    if (fused) {
        total = fma(a1, b1, total);
        return fma(a2, b2, total);
    }
    return (total + a1 * b1) + a2 * b2;
}

static __device__ __forceinline__ bool usable(real x)
{
    return fabs(x) <= LARGEST;
}

// Adds terms in the order in which numpy adds a short row: one after the other if there
// are fewer than eight, else each eighth into the same of eight sums, and what is left
// over at the end.
struct NumpySum {
    real lanes[8];
    real rest;
    int count;
    int total;

    __device__ __forceinline__ NumpySum(int terms) : rest(0), count(0), total(terms) {}

    __device__ __forceinline__ void add(real term)
    {
        if (total < 8) {
            rest = count ? rest + term : term;
        } else if (count < 8) {
            lanes[count] = term;
        } else if (count < total - total % 8) {
            lanes[count % 8] = lanes[count % 8] + term;
        } else {
            if (count == total - total % 8)
                rest = joined();
            rest = rest + term;
        }
        ++count;
    }

    __device__ __forceinline__ real joined() const
    {
        return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
               ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    }

    __device__ __forceinline__ real value() const
    {
        return total < 8 || total % 8 ? rest : joined();
    }
};

// --- Sharing out rows -------------------------------------------------------------------

// Divides the rows of owners into blocks of UPDATE_THREADS: for each block its owner,
// and the first row of the owner that is in it. A block of COMBINE_THREADS for each
// owner.
extern "C" __global__ void divide(const i64* block_starts, i64* owners, i64* firsts)
{
    const i64 start = block_starts[blockIdx.x];
    for (i64 block = start + threadIdx.x; block < block_starts[blockIdx.x + 1];
         block += COMBINE_THREADS) {
        owners[block] = blockIdx.x;
        firsts[block] = (block - start) * UPDATE_THREADS;
    }
}

// --- Records ----------------------------------------------------------------------------

struct alignas(2 * sizeof(real)) Two {
    real a, b;
};

static __device__ __forceinline__ Segment segment_of(const Work* work, i64 number)
{
    Segment segment;
    segment.row_start = work->row_starts[number];
    segment.row_count = work->row_counts[number];
    segment.side = work->sides[number];
    segment.first_match = work->match_starts[number];
    segment.channels = work->match_starts[number + 1] - segment.first_match;
    segment.is_displaced = work->is_displaced[number];
    for (int axis = 0; axis < 3; ++axis)
        segment.displacement[axis] = work->displacements[3 * number + axis];
    segment.threshold = work->thresholds[number];
    segment.past_weight = work->past_weights[number];
    segment.present_weight = work->present_weights[number];
    segment.unused[0] = segment.unused[1] = 0;
    return segment;
}

static __device__ __forceinline__ Channel channel_of(const Graphs* graphs,
                                                     const Work* work, i64 match)
{
    const i64 graph = work->match_graphs[match];
    const i64 query = work->match_queries[match];
    const i64 score_start = work->score_starts[match];
    const i64 first_node = graphs->node_starts[graph];
    const i64 nodes = graphs->node_starts[graph + 1] - first_node;
    const i64 neighbors = work->neighbors[query];
    const Box* box = graphs->boxes + graph;
    const Grid* grid = graphs->grids + graph;
    Channel channel;
    channel.singles = graphs->are_single[graph] ? graphs->singles + first_node : 0;
    channel.places = (const Two*)(graphs->places + 4 * first_node);
    channel.poses = (const Two*)(graphs->poses + 6 * first_node);
    channel.scores = score_start < 0 ? 0 : work->scores + score_start;
    channel.members = graphs->members + grid->first_member;
    channel.spots = graphs->spots + first_node;
    channel.cell_starts = graphs->cell_starts + grid->first_cell;
    channel.cells = graphs->cells + grid->first_cell;
    channel.lists = graphs->lists;
    // A little farther, so that rounding loses nothing.
    const real reach =
        box->radius * (real)(sizeof(real) == 8 ? 1 + 1e-6 : 1 + 1e-2);
    for (int axis = 0; axis < 3; ++axis) {
        const real extent = fabs(box->lowest[axis]) + fabs(box->highest[axis]);
        const real more = reach + extent * (real)(sizeof(real) == 8 ? 1e-12 : 1e-4);
        channel.lowest[axis] = box->lowest[axis] - more;
        channel.highest[axis] = box->highest[axis] + more;
        channel.origin[axis] = box->origin[axis];
        channel.shape[axis] = (int)grid->cells[axis];
    }
    channel.cells_per_unit = box->cells_per_unit;
    channel.radius = box->radius;
    for (int i = 0; i < 6; ++i)
        channel.sensed[i] = work->sensed[6 * query + i];
    channel.plane_factor = work->plane_factors[query];
    channel.normal_weight = work->pose_weights[2 * query];
    channel.direction_weight = work->pose_weights[2 * query + 1];
    channel.wanted = (int)(neighbors < nodes ? neighbors : nodes);
    channel.direction_known = work->direction_known[query] != 0;
    channel.reach = graphs->reaches[graph].square;
    channel.tolerance = graphs->reaches[graph].tolerance;
    channel.rounding = rounding_of(channel.tolerance, channel.radius);
    channel.part_length = part_length_of(box);
    channel.unused = 0;
    return channel;
}

struct alignas(16) Sixteen {
    unsigned long long a, b;
};

// Copies a record to shared memory, by the lanes of a warp.
template <typename Record>
static __device__ __forceinline__ void load_record(Record* to, const Record* from)
{
    const int lane = threadIdx.x % WARP;
    static_assert(sizeof(Record) % 16 == 0 && sizeof(Record) <= 16 * WARP, "too long");
    __syncwarp();
    if (lane < (int)(sizeof(Record) / 16))
        ((Sixteen*)to)[lane] = of_device((const Sixteen*)from)[lane];
    __syncwarp();
}

// --- The evidence of features -----------------------------------------------------------

static __device__ __forceinline__ real within_tolerance(real stored, real sensed,
                                                        real tolerance, i64 kind)
{
    real difference = fabs(stored - sensed);
    if (kind == CIRCULAR) {  // if one of these is NaN, all are
        difference = fmin(difference, fabs(((real)1 + stored) - sensed));
        difference = fmin(difference, fabs(stored - (sensed + (real)1)));
    } else if (kind == CATEGORICAL) {
        difference = stored != sensed ? (real)1 : (real)0;
    }
    real left = tolerance - difference;
    if (left < (real)0)
        left = 0;
    return left / tolerance;
}

// Blocks of UPDATE_THREADS for the records of segments and matches, and then one for as
// many nodes of a match.
extern "C" __global__ void __launch_bounds__(UPDATE_THREADS, SCORE_BLOCKS)
    score_nodes(const Graphs* graphs, const Work* work, const i64* block_matches,
                const i64* block_firsts, i64 segments, i64 matches)
{
    const i64 records = segments > matches ? segments : matches;
    const i64 record_blocks = (records + UPDATE_THREADS - 1) / UPDATE_THREADS;
    if (blockIdx.x < record_blocks) {
        const i64 number = blockIdx.x * (i64)UPDATE_THREADS + threadIdx.x;
        if (number < segments)
            work->segments[number] = segment_of(work, number);
        if (number < matches)
            work->match_channels[number] = channel_of(graphs, work, number);
        return;
    }
    const i64 block = blockIdx.x - record_blocks;
    const i64 match = block_matches[block];
    const i64 graph = work->match_graphs[match];
    const i64 query = work->match_queries[match];
    const i64 nodes = graphs->node_starts[graph + 1] - graphs->node_starts[graph];
    const i64 node = block_firsts[block] + threadIdx.x;
    if (node >= nodes)
        return;
    const i64 first = work->column_starts[query];
    const int columns = (int)(work->column_starts[query + 1] - first);
    const real* features = graphs->features + graphs->feature_starts[graph] + node;
    real score;
    if (columns <= FEW_COLUMNS) {
        // All at once, as each would be waited for.
        real stored[FEW_COLUMNS];
#pragma unroll
        for (int column = 0; column < FEW_COLUMNS; ++column)
            stored[column] = column < columns ? features[column * nodes] : (real)0;
        score = 0;
#pragma unroll
        for (int column = 0; column < FEW_COLUMNS; ++column) {
            if (column < columns) {
                const i64 at = first + column;
                const real term =
                    within_tolerance(stored[column], work->values[at],
                                     work->tolerances[at], work->kinds[at]) *
                    work->weights[at];
                score = column ? score + term : term;
            }
        }
    } else {
        NumpySum sum(columns);
        for (int column = 0; column < columns; ++column) {
            const i64 at = first + column;
            sum.add(within_tolerance(features[column * nodes], work->values[at],
                                     work->tolerances[at], work->kinds[at]) *
                    work->weights[at]);
        }
        score = sum.value();
    }
    work->scores[work->score_starts[match] + node] =
        (score / work->weight_sums[query]) * work->increments[query];
}

// --- Neighbours -------------------------------------------------------------------------

// The middle of a part along an axis, relative to the grid's origin.
static __device__ __forceinline__ float middle_of(int part, float part_length)
{
    return ((float)part + 0.5f) * part_length;
}

// Finds which parts of cells have a list. A block for UPDATE_THREADS cells of a graph.
// Locations beyond the grid count to its outermost parts, which have no end outwards.
extern "C" __global__ void find_masks(const Graphs* graphs, const i64* block_graphs,
                                      const i64* block_firsts)
{
    const i64 graph = block_graphs[blockIdx.x];
    const Grid* grid = graphs->grids + graph;
    const Box* box = graphs->boxes + graph;
    const i64 here = block_firsts[blockIdx.x] + threadIdx.x;
    if (here >= grid->cells[0] * grid->cells[1] * grid->cells[2])
        return;
    const i64 cells[3] = {here / (grid->cells[1] * grid->cells[2]),
                          here / grid->cells[2] % grid->cells[1],
                          here % grid->cells[2]};
    const real* places = graphs->places + 4 * graphs->node_starts[graph];
    const unsigned int* starts = graphs->cell_starts + grid->first_cell;
    const Member* members = graphs->members + grid->first_member;
    // A little farther, so that rounding loses no node.
    const real reach =
        box->radius * box->radius * (real)(1 + (sizeof(real) == 8 ? 1e-6 : 1e-2));
    unsigned long long mask = 0;
    for (unsigned int i = starts[here]; i < starts[here + 1]; ++i) {
        const real* place = places + 4 * (i64)members[i].node;
        real gaps[3][PARTS];
        for (int axis = 0; axis < 3; ++axis)
            for (int part = 0; part < PARTS; ++part) {
                const i64 number = PARTS * cells[axis] + part;
                const real at = place[axis] - box->origin[axis];
                const real low = (real)number / (PARTS * box->cells_per_unit);
                const real high = (real)(number + 1) / (PARTS * box->cells_per_unit);
                real gap = 0;
                if (at < low && number > 0)
                    gap = low - at;
                if (at > high && number < PARTS * grid->cells[axis] - 1)
                    gap = at - high;
                gaps[axis][part] = gap * gap;
            }
        for (int part = 0; part < PARTS * PARTS * PARTS; ++part)
            if (gaps[0][part / (PARTS * PARTS)] + gaps[1][part / PARTS % PARTS] +
                    gaps[2][part % PARTS] <= reach)
                mask |= 1ull << part;
    }
    Cell cell;
    cell.mask = mask;
    cell.first = cell.unused = 0;
    graphs->cells[grid->first_cell + here] = cell;
}

static __device__ __forceinline__ float square_between(const Member& spot, float x,
                                                       float y, float z)
{
    const float away_x = spot.x - x;
    const float away_y = spot.y - y;
    const float away_z = spot.z - z;
    return fmaf(away_z, away_z, fmaf(away_y, away_y, away_x * away_x));
}

// How often a square is halved to find one that LISTED nodes are within.
#define HALVINGS 20

// A part of a cell, relative to the grid's origin.
struct Part {
    float lowest[3], highest[3];  // infinite for parts that have no end
    float middle[3];
    float reach;

    // The square of the distance of a node from the middle; infinite if it is not in
    // reach of any location in the part.
    __device__ __forceinline__ float square_of(const Member& member) const
    {
        const float at[3] = {member.x, member.y, member.z};
        float gaps = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const float gap =
                fmaxf(fmaxf(lowest[axis] - at[axis], at[axis] - highest[axis]), 0.0f);
            gaps = fmaf(gap, gap, gaps);
        }
        return gaps <= reach ? square_between(member, middle[0], middle[1], middle[2])
                             : INFINITY;
    }
};

// Writes the list of a part, by all lanes of a warp.
static __device__ __forceinline__ void list_part(const Member* members, int count,
                                                 const Part& part, Nearest* list)
{
    const int lane = threadIdx.x % WARP;
    float farthest = 0;
    for (int i = lane; i < count; i += WARP) {
        const float square = part.square_of(members[i]);
        farthest = square < INFINITY ? fmaxf(farthest, square) : farthest;
    }
    for (int step = 1; step < WARP; step *= 2)
        farthest = fmaxf(farthest, __shfl_xor_sync(ALL_LANES, farthest, step));
    // All of them, if that is not too many; else what halving comes to.
    float lowest = -1, highest = farthest, limit = farthest;
    for (int halving = 0; halving <= HALVINGS && lowest < farthest; ++halving) {
        unsigned int within = 0;
        for (int i = lane; i < count; i += WARP)
            within += part.square_of(members[i]) <= limit;
        if (sum_in_warp(within) <= LISTED)
            lowest = limit;
        else
            highest = limit;
        limit = 0.5f * (fmaxf(lowest, 0.0f) + highest);
    }
    int listed = 0;
    float others = INFINITY;
    for (int first = 0; first < count; first += WARP) {
        const int place = first + lane;
        bool is_near = false;
        if (place < count) {
            const float square = part.square_of(members[place]);
            is_near = square <= lowest && members[place].node < NODES_LISTED;
            if (!is_near)
                others = fminf(others, square);
        }
        const unsigned int near = __ballot_sync(ALL_LANES, is_near);
        if (is_near)
            list->nodes[listed + __popc(near & ((1u << lane) - 1))] =
                (unsigned short)members[place].node;
        listed += __popc(near);
    }
    for (int place = listed + lane; place < LISTED; place += WARP)
        list->nodes[place] = 0;
    for (int step = 1; step < WARP; step *= 2)
        others = fminf(others, __shfl_xor_sync(ALL_LANES, others, step));
    if (lane == 0) {
        list->others = sqrtf(others);
        list->count = listed;
    }
}

// Writes the lists of the parts of cells. A warp for each cell of a graph.
extern "C" __global__ void list_nearest(const Graphs* graphs, const i64* block_graphs,
                                        const i64* block_firsts)
{
    const i64 graph = block_graphs[blockIdx.x];
    const Grid* grid = graphs->grids + graph;
    const Box* box = graphs->boxes + graph;
    const i64 here = (block_firsts[blockIdx.x] + threadIdx.x) / WARP;
    if (here >= grid->cells[0] * grid->cells[1] * grid->cells[2])
        return;
    const i64 cells[3] = {here / (grid->cells[1] * grid->cells[2]),
                          here / grid->cells[2] % grid->cells[1],
                          here % grid->cells[2]};
    const Cell cell = graphs->cells[grid->first_cell + here];
    const unsigned int* starts = graphs->cell_starts + grid->first_cell + here;
    const Member* members = graphs->members + grid->first_member + starts[0];
    const float length = part_length_of(box);
    const float reach = sqrtf(graphs->reaches[graph].square) +
                        rounding_of(graphs->reaches[graph].tolerance, box->radius);
    Nearest* list = graphs->lists + cell.first;
    for (int number = 0; number < PARTS * PARTS * PARTS; ++number) {
        if (!(cell.mask >> number & 1))
            continue;
        const int along[3] = {number / (PARTS * PARTS), number / PARTS % PARTS,
                              number % PARTS};
        Part part;
        part.reach = reach * reach;
        for (int axis = 0; axis < 3; ++axis) {
            const int place = (int)cells[axis] * PARTS + along[axis];
            const bool is_last = place == (int)grid->cells[axis] * PARTS - 1;
            part.lowest[axis] = place ? (float)place * length : -INFINITY;
            part.highest[axis] = is_last ? INFINITY : (float)(place + 1) * length;
            part.middle[axis] = middle_of(place, length);
        }
        list_part(members, (int)(starts[1] - starts[0]), part, list++);
    }
}

static __device__ __forceinline__ int clipped(int value, int highest)
{
    return value < 0 ? 0 : value > highest ? highest : value;
}

// --- The update of evidence -------------------------------------------------------------

// With the numbers of a sensed vector `apart` in memory.
template <int apart>
static __device__ __forceinline__ real cosine(const real* stored, const real* sensed)
{
    const real product = (stored[0] * sensed[0] + stored[1] * sensed[apart]) +
                         stored[2] * sensed[2 * apart];
    // NaN becomes -1, as by `fmax`, which takes longer.
    return !(product > (real)-1) ? (real)-1 : product > (real)1 ? (real)1 : product;
}

// Whether sqrt(square) + off_plane >= radius, mostly without the root.
static __device__ __forceinline__ bool is_beyond(real radius, real square,
                                                 real off_plane)
{
    // The margin is a thousand times what rounding can do.
    const real left = radius - off_plane;
    const real margin = radius * (real)(sizeof(real) == 8 ? 1e-12 : 1e-4);
    if (left > margin && square < (left - margin) * (left - margin))
        return false;
    if (left < -margin || square > (left + margin) * (left + margin))
        return true;
    return sqrt(square) + off_plane >= radius;
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

struct Node {
    real place[3];
    real direction_known;
    real normal[3];
    real direction[3];
};

// All at once, though some are too far off the plane for the pose to matter.
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

// What a hypothesis expects in an input channel.
struct Expected {
    real at[3];
    real normal[3];
    const real* direction;        // in `Room`, as registers are scarce
};

// The evidence of a node for a hypothesis; -1 if it does not match.
static __device__ __forceinline__ real evidence_of(const Channel& channel,
                                                   unsigned int node,
                                                   const Expected& expected)
{
    const real* at = expected.at;
    const real* normal = expected.normal;
    const Node stored = node_of(channel, node);
    // Before it is known whether it matters: it would be waited for.
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

// The number of the lowest bit that is set, or zero.
static __device__ __forceinline__ int lowest_bit(unsigned int bits)
{
    return bits ? __popc((bits & (0u - bits)) - 1) : 0;
}

// What a hypothesis expects, and where to look for it.
struct Sought {
    Expected expected;
    unsigned int list;
    float from_middle;            // how far from the middle of that list's part
    bool is_near;                 // whether a node may be within the radius
};

// The nodes of a list that are within the radius, for each lane.
struct Kept {
    float squares[LISTED][WARP];
    unsigned short nodes[LISTED][WARP];
};

// How many exact squares of distances are kept.
#define EXACT 128

// What lanes share to search together for hypotheses for which lists do not do.
struct Shared {
    real at[3][WARP];
    real normal[3][WARP];
    float at_32[3][WARP];
    int cell[WARP];
    real best[WARP];              // the best match so far
    unsigned char is_missing[WARP];  // whether a value is NaN or infinite
    unsigned char is_undecided[WARP];  // why, see below
    union {
        unsigned int taken[MAX_NEIGHBORS];  // the nearest nodes
        real exact[EXACT];
    };
};

// What the lanes of a warp have besides registers. Each has a hypothesis.
struct Room {
    Segment segment;
    Channel channel;
    real evidence[WARP];          // so far
    real direction[3][WARP];      // that is expected
    unsigned char is_tested[WARP];
    unsigned char is_usable[WARP];
    union {
        Kept kept;
        Shared shared;
    };
};

// Of the rooms of a block, that of the warp. It is asked for again and again: kept for
// long it would be kept in memory, and be loaded each time, as registers are scarce.
static __device__ __forceinline__ Room& own(Room* rooms)
{
    unsigned int thread = threadIdx.x;
#ifdef __CUDA_ARCH__
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
#endif
    return rooms[thread / WARP];
}

static __device__ __forceinline__ Expected expected_of(const Room& room, int owner)
{
    Expected expected;
    for (int axis = 0; axis < 3; ++axis) {
        expected.at[axis] = room.shared.at[axis][owner];
        expected.normal[axis] = room.shared.normal[axis][owner];
    }
    expected.direction = &room.direction[0][owner];
    return expected;
}

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

// Finds what is near a location.
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

// Why the nearest nodes of a hypothesis are not known after the search.
#define NOT_LISTED 1
#define CLOSE 2
#define TOO_MANY 3

static __device__ __forceinline__ real highest_in_warp(real value)
{
    for (int step = 1; step < WARP; step *= 2)
        value = fmax(value, __shfl_xor_sync(ALL_LANES, value, step));
    return value;
}

// Looks at the nodes that were taken, and notes the best match of the hypothesis; all
// lanes of the warp take part.
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

// How many nodes are within a distance, of those that the lanes of a warp have.
template <int USED>
static __device__ __forceinline__ int count_within(const float* squares, float limit)
{
    unsigned int within = 0;
#pragma unroll
    for (int slot = 0; slot < USED; ++slot)
        within += squares[slot] <= limit;
    return (int)sum_in_warp(within);
}

// A square of a distance that is tried, to find one that just as many nodes as wanted
// are within. On a surface the number of nodes grows with the square of the distance.
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

// Members are in the order of their numbers, which decides between equals.
static __device__ __forceinline__ bool is_nearer(real square, int place,
                                                 real other_square, int other_place)
{
    return square < other_square || (square == other_square && place < other_place);
}

// The best match of a hypothesis of which rounding may exchange the nearest nodes, by all
// lanes of the warp and without rounding. For the first lane.
static __device__ __forceinline__ real best_of_exactly_nearest(Room& room, int owner)
{
    const int lane = threadIdx.x % WARP;
    const Channel& channel = room.channel;
    Shared& shared = room.shared;
    int count;
    const Member* members = members_of(channel, shared.cell[owner], &count);
    const Expected expected = expected_of(room, owner);
    // If there are more members than fit, what is missing is found again and again.
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

// Where there are more nodes than a warp can keep at hand: a thread goes through all
// nodes in reach, one after the other by distance and then by number.
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

// Searches among the members of a cell, by all lanes for one hypothesis.
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
        for (int glance = 0; glance < GLANCES && !limit.is_found; ++glance)
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

// Finds the best matches that lists do not tell. Not inlined, as it is rarely called and
// would take the registers of all.
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

// How many nodes are within a distance, of those that a lane has kept, and which squares
// of distances are next to it.
struct Glance {
    int within;
    float last, next;

    __device__ __forceinline__ Glance(const float* squares, int count, float limit)
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

// A little less than one: a number times that is the next lower one.
#define LESS 0.99999994f

// Which of the nodes that were kept are the nearest, as many as are wanted: a bit for
// each. None, if rounding may exchange nodes at the edge, or one that was not kept, which
// is beyond `known`. `limit` is what is tried first.
static __device__ __forceinline__ unsigned int nearest_of(const Room& room, int count,
                                                          Limit limit, float known)
{
    const int wanted = room.channel.wanted;
    const float tolerance = room.channel.tolerance;
    const float* squares = &room.kept.squares[0][threadIdx.x % WARP];
    float last = 0, edge = 0;
#pragma unroll 1
    for (int tried = 0; tried < GLANCES; ++tried) {
        const Glance glance(squares, count, limit.value);
        // If it is one too many or too few, it is known which.
        if (glance.within == wanted + 1) {
            edge = glance.last * LESS;
            last = edge - tolerance;
            break;
        }
        last = glance.within < wanted ? glance.next : glance.last;
        edge = last + tolerance;
        if (glance.within == wanted || glance.within == wanted - 1)
            break;
        limit.learn(glance.within, wanted);
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
        // Within this distance no node is missing in the list. What is taken off is many
        // times what rounding can do.
        const Nearest* list = of_device(channel.lists) + sought.list;
        const float clear = list->others - sought.from_middle - channel.rounding;
        const float clear_square = clear * fabsf(clear) - 2 * channel.tolerance;
        const bool is_all = clear_square >= channel.reach;
        const float reach = is_all ? channel.reach : clear_square;
        float nearest;
        const int count = keep_listed(own(rooms), sought, list, reach, &nearest);
        // Those that are not there are beyond the radius.
        if (count >= wanted)
            best = -INFINITE;
        unsigned int taken = (1u << count) - 1;
        if (!is_all && count < wanted) {
            undecided = NOT_LISTED;
            taken = 0;
        } else if (count > wanted || (!is_all && count == wanted)) {
            // Where nodes may be missing beyond, it takes some room to tell the edge.
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
        // What was kept is not read any more.
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
        // What was kept may take the room again.
        __syncwarp();
    }
    return is_missing ? (real)NAN : best;
}

static __device__ __forceinline__ bool is_better(real value, i64 row, real other,
                                                 i64 other_row)
{
    return value > other || (value == other && row < other_row);
}

// What two parts of a segment have found out, of which none or both may be empty.
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

// Joins what the lanes of a warp have found out; the first lane has it all then.
static __device__ __forceinline__ Found found_in_warp(Found found)
{
    for (int step = WARP / 2; step > 0; step /= 2)
        join(found, found_by(found, step));
    return found;
}

// The first lane with the highest value.
static __device__ __forceinline__ int lane_of_highest(real value)
{
    // As an integer that is in the same order; the sum makes both zeros one.
    const i64 bits = bits_of((double)value + 0.0);
    const unsigned long long key = bits ^ (bits >> 63 | (i64)(1ull << 63));
    const unsigned int upper = (unsigned int)(key >> 32), lower = (unsigned int)key;
    const bool is_highest = upper == highest_of(upper);
    // By all lanes: a sum or a maximum of a warp waits for each of them.
    const unsigned int highest_lower = highest_of(is_highest ? lower : 0);
    return lowest_bit(
        __ballot_sync(ALL_LANES, is_highest && lower == highest_lower));
}

// Writes what the lanes of a warp have found out, which have hypotheses in their order.
// Not a block: its warps would wait for each other.
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

// Finds out what a hypothesis expects in an input channel, and which nodes are in reach
// of it; returns whether it can be computed with.
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

// The best match in another input channel than the first one. What was read for that is
// read again: to keep it would take the registers of all, as would inlining this.
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

// A block for UPDATE_THREADS hypotheses of a segment.
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

    // All that there is to be read is on its way before any of it is used.
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
        // What it takes for others not to gain on the worst that was tested.
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

// What the warps of a segment have found out, for a block of one warp.
static __device__ __forceinline__ Found found_in_segment(const Work* work, i64 segment)
{
    Found found = nothing_found();
#pragma unroll 4
    for (i64 warp = UPDATE_WARPS * work->block_starts[segment] + threadIdx.x;
         warp < UPDATE_WARPS * work->block_starts[segment + 1]; warp += COMBINE_THREADS)
        join(found, work->found[warp]);
    return found_in_warp(found);
}

// Writes which hypothesis is the most likely, and where it is. By one thread.
static __device__ __forceinline__ void tell_most_likely(const Work* work,
                                                        const Hypotheses* hypotheses,
                                                        i64 segment,
                                                        const Found& found)
{
    Result* result = work->results + segment;
    result->count = work->row_counts[segment];
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
    const i64 row = work->row_starts[segment] + found.row;
    const i64 capacity = hypotheses->capacity;
    const i64 side = 1 - work->sides[segment];
    for (int i = 0; i < 3; ++i)
        result->location[i] = hypotheses->locations[side][i * capacity + row];
    for (int i = 0; i < 9; ++i)
        result->pose[i] = hypotheses->poses[i * capacity + row];
}

// A block of COMBINE_THREADS for each segment.
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

// Gives hypotheses that were not tested what they gain. A block for UPDATE_THREADS
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

// --- Evidence over time -----------------------------------------------------------------

// Records the evidence of a hypothesis and returns the slope.
static __device__ __forceinline__ real recorded_slope(const Hypotheses* hypotheses,
                                                      i64 row, real evidence,
                                                      i64 newest, const real* channels)
{
    const i64 capacity = hypotheses->capacity;
    real* window = hypotheses->window + row;
    window[newest * capacity] = evidence;
    hypotheses->ages[row] += 1;
    // Around the ring, from its oldest slot to its newest.
    i64 slot = newest + 1 < WINDOW_SIZE ? newest + 1 : 0;
    real before = window[slot * capacity];
    int known = 0;
    NumpySum sum(WINDOW_SIZE - 1);
#pragma unroll
    for (int i = 0; i < WINDOW_SIZE - 1; ++i) {
        slot = slot + 1 < WINDOW_SIZE ? slot + 1 : 0;
        const real after = window[slot * capacity];
        const real change = (after - before) / channels[slot];
        before = after;
        const bool is_known = !(change != change);
        known += is_known;
        sum.add(is_known ? change : (real)0);
    }
    const real slope = known ? sum.value() / (real)known : (real)NAN;
    hypotheses->slopes[row] = slope;
    return slope;
}

// Records evidence if there is a window, and finds the most likely hypotheses. A block
// for UPDATE_THREADS hypotheses of a segment.
extern "C" __global__ void record(const Work* work, const Hypotheses* hypotheses,
                                  const i64* newest, const real* channels)
{
    const i64 segment = work->block_owners[blockIdx.x];
    const i64 place = work->block_firsts[blockIdx.x] + threadIdx.x;
    Found found = nothing_found();
    if (!*work->failed && place < work->row_counts[segment]) {
        const i64 row = work->row_starts[segment] + place;
        found.highest = hypotheses->evidence[1 - work->sides[segment]][row];
        found.row = place;
        if (newest) {
            const real slope =
                recorded_slope(hypotheses, row, found.highest, newest[segment],
                               channels + WINDOW_SIZE * segment);
            if (fabs(slope) < INFINITE)
                found.highest_slope = slope;
        }
    }
    tell_found(work, found, newest != 0);
}

// A block of COMBINE_THREADS for each segment, after `record`.
extern "C" __global__ void find_most_likely(const Work* work,
                                            const Hypotheses* hypotheses)
{
    const i64 segment = blockIdx.x;
    const Found found = found_in_segment(work, segment);
    if (threadIdx.x == 0 && !*work->failed)
        tell_most_likely(work, hypotheses, segment, found);
}

// --- Coming and going of hypotheses -----------------------------------------------------

// Closes the gaps that deleted hypotheses leave. A block of SEGMENT_THREADS for each
// segment, which takes as many rows at a time: all are read before any is written, and
// none is written behind those that were read.
extern "C" __global__ void delete_declining(const Work* work,
                                            const Hypotheses* hypotheses,
                                            const real* least_slopes, i64 min_age,
                                            unsigned char* is_deleted,
                                            const i64* deleted_starts)
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
        if (is_deleted && place < count)
            is_deleted[deleted_starts[segment] + place] = !keep;
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

// Writes new hypotheses behind those that a segment has, on the side just written. A
// block for UPDATE_THREADS hypotheses of a sample.
extern "C" __global__ void append_samples(const Graphs* graphs, const Work* work,
                                          const Hypotheses* hypotheses,
                                          const Samples* samples, i64 has_window)
{
    const i64 sample = samples->block_owners[blockIdx.x];
    const i64 place = samples->block_firsts[blockIdx.x] + threadIdx.x;
    const i64 node_count = samples->node_counts[sample];
    if (*work->failed || place >= node_count * samples->pose_counts[sample])
        return;
    const i64 segment = samples->positions[sample];
    const i64 row = work->row_starts[segment] + work->row_counts[segment] +
                    samples->row_offsets[sample] + place;
    const i64 side = 1 - work->sides[segment];
    const i64 capacity = hypotheses->capacity;
    const i64 which = place % node_count;
    const real* pose =
        samples->poses + 9 * (samples->pose_starts[sample] + place / node_count);
    const i64 in_graph = samples->node_starts[sample] < 0
                             ? which
                             : samples->nodes[samples->node_starts[sample] + which];
    const i64 node = graphs->node_starts[samples->graphs[sample]] + in_graph;
    const i64 score_start = samples->score_starts[sample];
    const real score = score_start < 0 ? (real)0 : work->scores[score_start + in_graph];
    hypotheses->evidence[side][row] = score + samples->head_starts[sample];
    hypotheses->possible[row] = 0;
    for (int i = 0; i < 3; ++i)
        hypotheses->locations[side][i * capacity + row] = graphs->places[4 * node + i];
    const real* frame = graphs->frames + 9 * node;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            hypotheses->poses[(3 * i + j) * capacity + row] =
                samples->is_aligned[sample]
                    ? dot(work->fuse_products != 0, frame[i], frame[3 + i],
                          frame[6 + i], pose[j], pose[3 + j], pose[6 + j])
                    : pose[3 * i + j];
    if (has_window) {
        for (int i = 0; i < WINDOW_SIZE; ++i)
            hypotheses->window[i * capacity + row] = (real)NAN;
        hypotheses->slopes[row] = (real)NAN;
        hypotheses->ages[row] = 0;
    }
}

// Counts what was appended. A thread for each segment.
extern "C" __global__ void count_appended(const Work* work, const i64* added,
                                          i64 segments)
{
    const i64 segment = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (segment < segments && !*work->failed)
        work->row_counts[segment] += added[segment];
}

// --- Moving hypotheses within memory ----------------------------------------------------

// Copies stretches of rows of a few columns, which lie `stride` elements apart. A block
// for UPDATE_THREADS rows of a stretch.
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
