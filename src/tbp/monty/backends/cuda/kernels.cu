// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// The evidence update on a GPU: the arithmetic of `arithmetic.py`, in the same order.
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

#ifndef REAL
#define REAL double
#endif
#ifndef WINDOW_SIZE
#define WINDOW_SIZE 10
#endif

typedef REAL real;
typedef long long i64;

#ifdef __CUDACC_RTC__  // which has no headers of the C library
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#endif

// Beyond this magnitude a square overflows, see `numbers.LARGEST`.
#define LARGEST ((real)(sizeof(real) == 8 ? 1e150 : 1e18))
#define INFINITE ((real)INFINITY)
#define NO_MATCH ((real)-1)
#define BEST_MATCH ((real)2)

// Threads of a block: UPDATE_THREADS where each has a hypothesis or a node,
// SEGMENT_THREADS where a block has a segment.
#ifndef UPDATE_THREADS
#define UPDATE_THREADS 128
#endif
// Of these, how many blocks a multiprocessor shall have room for.
#define UPDATE_BLOCKS (896 / UPDATE_THREADS)
#define SCORE_BLOCKS (1024 / UPDATE_THREADS)
// So few feature columns are added one after the other, see `NumpySum`.
#define FEW_COLUMNS 7
#define COMBINE_THREADS 32
#define SEGMENT_THREADS 256

#define WARP 32
#define ALL_LANES 0xffffffffu
#define WARPS (UPDATE_THREADS / WARP)
// Lanes of a warp that share the search for one hypothesis.
#define LANES 8
#define SEARCHES (WARP / LANES)
// How many nodes within the radius can be kept at hand. With more of them, a thread
// looks for the nearest by itself.
#define AT_HAND 64
// How many of these a lane has.
#define SLOTS (AT_HAND / LANES)
// How many members of a cell a lane loads at a time, to have them all on their way.
#define AHEAD 4
// How often a distance is tried that leaves as many nodes as are wanted.
#define GLANCES 24

// --- What the host hands over: see `layout.py`, which has the same fields -------------

struct Graphs {
    const i64* node_starts;
    const real* places;           // (nodes, 4): location, and whether directions count
    const real* poses;            // (nodes, 6): normal and first direction
    const real* frames;           // (nodes, 9): and the second direction
    const real* features;         // of each graph a column after the other
    const i64* feature_starts;
    const i64* feature_columns;
    const real* boxes;            // (graphs, 11): lowest, highest, origin, scale, radius
    const i64* grids;             // (graphs, 5): cells an axis, first cell, first member
    const unsigned int* cell_starts;
    const struct Member* members;
    const float* reaches;         // (graphs, 2): see `Member`
    unsigned long long* masks;    // for each cell, as `cell_starts`: see `find_masks`
};

// A node in reach of a cell, with its location relative to the grid's origin in single
// precision. That is enough to tell which nodes are near: a node within the radius has
// a square of its distance of at most the graph's first number in `reaches`, and what
// differs by more than the second is in the right order.
struct alignas(16) Member {
    float x, y, z;
    unsigned int node;
};

struct Hypotheses {
    real* evidence[2];
    real* locations[2];           // (3, capacity)
    real* poses;                  // (9, capacity)
    unsigned char* possible;
    real* window;                 // (WINDOW_SIZE, capacity)
    real* slopes;
    int* ages;
    i64 capacity;
};

struct Work {
    // For each segment.
    const i64* row_starts;
    i64* row_counts;              // changed by what deletes and appends
    const i64* sides;             // which side is read; the other one is written
    const i64* is_displaced;
    const real* displacements;    // (segments, 3)
    const real* thresholds;
    const real* past_weights;
    const real* present_weights;
    const i64* match_starts;      // (segments + 1,)
    const i64* block_starts;      // (segments + 1,)
    // For each match.
    const i64* match_graphs;
    const i64* match_queries;
    const i64* score_starts;
    // For each query.
    const real* sensed;           // (queries, 6): normal and first direction
    const i64* direction_known;
    const real* plane_factors;
    const real* pose_weights;     // (queries, 2)
    const i64* neighbors;
    const i64* column_starts;     // (queries + 1,)
    const real* increments;
    const real* weight_sums;
    // For each sensed feature column.
    const real* values;
    const real* tolerances;
    const real* weights;
    const i64* kinds;
    // For each block of hypotheses.
    const i64* block_owners;
    const i64* block_firsts;      // its first hypothesis, from the segment's start
    // What is found out.
    real* scores;
    struct Found* found;          // for each warp of each block
    real* least;                  // (blocks, channels)
    i64 channels;
    struct Result* results;       // for each segment
    i64* failed;                  // whether the numbers of a hypothesis are unusable
    i64 fuse_rotations;
    i64 fuse_products;
    // Made of the above by `score_nodes`.
    struct Segment* segments;
    struct Channel* match_channels;
};

// What a warp has found out of its hypotheses.
struct Found {
    real highest_before;
    i64 row_before;
    real gain_before;
    real highest;
    i64 row;
    real highest_slope;
    i64 tested;
    i64 unusable;
};

// What a learning module reads next, for each segment. All of eight bytes.
struct Result {
    double highest;
    double highest_slope;
    double prediction_error;
    double untested_gain;
    double location[3];
    double pose[9];
    i64 most_likely;
    i64 tested;
    i64 count;
    i64 unusable;
};

struct Samples {
    // For each sample.
    const i64* positions;         // its segment, by position in the work
    const i64* row_offsets;       // its first row, after those its segment has
    const i64* graphs;
    const i64* score_starts;      // -1 without features
    const i64* node_starts;       // among `nodes`; -1 for all nodes of the graph
    const i64* node_counts;
    const i64* pose_starts;
    const i64* pose_counts;
    const i64* is_aligned;
    const real* head_starts;
    // For each block of new hypotheses.
    const i64* block_owners;
    const i64* block_firsts;
    const i64* nodes;
    const real* poses;            // (poses, 9): given ones, or sensed frames
};

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

// What all hypotheses of a segment have in common, side by side in memory: a warp loads
// it at once.
struct alignas(16) Segment {
    i64 row_start;
    i64 row_count;
    i64 side;
    i64 first_match;
    i64 channels;
    i64 is_displaced;
    real displacement[3];
    real threshold;
    real past_weight;
    real present_weight;
    real unused[2];               // records are read as a whole, in sixteens of bytes
};

// And what they have in common in one input channel.
struct alignas(16) Channel {
    const Two* places;
    const Two* poses;
    const real* scores;           // null without features
    const Member* members;
    const unsigned int* cell_starts;
    const unsigned long long* masks;
    real lowest[3];               // what is in reach of a node is between these
    real highest[3];
    real origin[3];
    real cells_per_unit;
    real radius;
    real sensed[6];               // normal and first direction
    real plane_factor;
    real normal_weight;
    real direction_weight;
    int cells[3];
    int wanted;
    int direction_known;
    float reach;
    float tolerance;
    int unused;
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
    const real* box = graphs->boxes + 11 * graph;
    const i64* grid = graphs->grids + 5 * graph;
    Channel channel;
    channel.places = (const Two*)(graphs->places + 4 * first_node);
    channel.poses = (const Two*)(graphs->poses + 6 * first_node);
    channel.scores = score_start < 0 ? 0 : work->scores + score_start;
    channel.members = graphs->members + grid[4];
    channel.cell_starts = graphs->cell_starts + grid[3];
    channel.masks = graphs->masks + grid[3];
    // A little farther, so that rounding loses nothing.
    const real reach =
        box[10] * (real)(sizeof(real) == 8 ? 1 + 1e-6 : 1 + 1e-2);
    for (int axis = 0; axis < 3; ++axis) {
        const real extent = fabs(box[axis]) + fabs(box[3 + axis]);
        const real more = reach + extent * (real)(sizeof(real) == 8 ? 1e-12 : 1e-4);
        channel.lowest[axis] = box[axis] - more;
        channel.highest[axis] = box[3 + axis] + more;
        channel.origin[axis] = box[6 + axis];
        channel.cells[axis] = (int)grid[axis];
    }
    channel.cells_per_unit = box[9];
    channel.radius = box[10];
    for (int i = 0; i < 6; ++i)
        channel.sensed[i] = work->sensed[6 * query + i];
    channel.plane_factor = work->plane_factors[query];
    channel.normal_weight = work->pose_weights[2 * query];
    channel.direction_weight = work->pose_weights[2 * query + 1];
    channel.wanted = (int)(neighbors < nodes ? neighbors : nodes);
    channel.direction_known = work->direction_known[query] != 0;
    channel.reach = graphs->reaches[2 * graph];
    channel.tolerance = graphs->reaches[2 * graph + 1];
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
    if (kind == 1) {  // circular; if one of these is NaN, all are
        difference = fmin(difference, fabs(((real)1 + stored) - sensed));
        difference = fmin(difference, fabs(stored - (sensed + (real)1)));
    } else if (kind == 2) {  // categorical
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

// Each cell is divided into PARTS along each axis, and has a bit for each part: whether
// a node may be within the radius of a location in it.
#define PARTS 4

// A block for UPDATE_THREADS cells of a graph. Locations beyond the grid count to its
// outermost parts, which have no end outwards.
extern "C" __global__ void find_masks(const Graphs* graphs, const i64* block_graphs,
                                      const i64* block_firsts)
{
    const i64 graph = block_graphs[blockIdx.x];
    const i64* grid = graphs->grids + 5 * graph;
    const real* box = graphs->boxes + 11 * graph;
    const i64 here = block_firsts[blockIdx.x] + threadIdx.x;
    if (here >= grid[0] * grid[1] * grid[2])
        return;
    const i64 cells[3] = {here / (grid[1] * grid[2]), here / grid[2] % grid[1],
                          here % grid[2]};
    const real* places = graphs->places + 4 * graphs->node_starts[graph];
    const unsigned int* starts = graphs->cell_starts + grid[3];
    const Member* members = graphs->members + grid[4];
    // A little farther, so that rounding loses no node.
    const real reach =
        box[10] * box[10] * (real)(1 + (sizeof(real) == 8 ? 1e-6 : 1e-2));
    unsigned long long mask = 0;
    for (unsigned int i = starts[here]; i < starts[here + 1]; ++i) {
        const real* place = places + 4 * (i64)members[i].node;
        real gaps[3][PARTS];
        for (int axis = 0; axis < 3; ++axis)
            for (int part = 0; part < PARTS; ++part) {
                const i64 number = PARTS * cells[axis] + part;
                const real at = place[axis] - box[6 + axis];
                const real low = (real)number / (PARTS * box[9]);
                const real high = (real)(number + 1) / (PARTS * box[9]);
                real gap = 0;
                if (at < low && number > 0)
                    gap = low - at;
                if (at > high && number < PARTS * grid[axis] - 1)
                    gap = at - high;
                gaps[axis][part] = gap * gap;
            }
        for (int part = 0; part < PARTS * PARTS * PARTS; ++part)
            if (gaps[0][part / (PARTS * PARTS)] + gaps[1][part / PARTS % PARTS] +
                    gaps[2][part % PARTS] <= reach)
                mask |= 1ull << part;
    }
    graphs->masks[grid[3] + here] = mask;
}

static __device__ __forceinline__ int clipped(int value, int highest)
{
    return value < 0 ? 0 : value > highest ? highest : value;
}

// Finds the cell of a location; returns how many nodes are in reach of it.
static __device__ __forceinline__ int members_at(const Channel& channel, const real* at,
                                                 unsigned int* first)
{
    int here = 0, part = 0;
    bool is_near = true;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
        is_near = is_near && at[axis] >= channel.lowest[axis] &&
                  at[axis] <= channel.highest[axis];
        const int cells = channel.cells[axis];
        const real scaled = (at[axis] - channel.origin[axis]) * channel.cells_per_unit;
        const int cell = clipped(floor_of(scaled), cells - 1);
        const real rest = (scaled - (real)cell) * (real)PARTS;
        here = here * cells + cell;
        part = part * PARTS + clipped(floor_of(rest), PARTS - 1);
    }
    if (!is_near)
        return 0;
    // All at once, though mostly the mask would do.
    const unsigned long long mask = of_device(channel.masks)[here];
    const unsigned int start = of_device(channel.cell_starts)[here];
    const unsigned int end = of_device(channel.cell_starts)[here + 1];
    *first = start;
    return mask >> part & 1 ? (int)(end - start) : 0;
}

// A distance that is tried, to find one that just as many nodes as wanted are within.
struct Limit {
    real lowest, highest, value;
    int below, above;

    __device__ __forceinline__ Limit(real all, int count)
        : lowest(0), highest(all), value(all), below(0), above(count)
    {
    }

    __device__ __forceinline__ real next(int wanted)
    {
        // On a surface the number of nodes grows with the square of the distance.
        value = lowest +
                (highest - lowest) * (((real)(wanted - below) + (real)0.5) /
                                      ((real)(above - below) + (real)1));
        return value;
    }

    __device__ __forceinline__ void learn(int count, int wanted)
    {
        if (count < wanted) {
            lowest = value;
            below = count;
        } else {
            highest = value;
            above = count;
        }
    }
};

// --- The update of evidence -------------------------------------------------------------

static __device__ __forceinline__ real cosine(const real* stored, const real* sensed)
{
    const real product = (stored[0] * sensed[0] + stored[1] * sensed[1]) +
                         stored[2] * sensed[2];
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

// The evidence of a node for a hypothesis; -1 if it does not match.
static __device__ __forceinline__ real evidence_of(const Channel& channel,
                                                   unsigned int node, const real* at,
                                                   const real* normal,
                                                   const real* direction)
{
    const Two* place = of_device(channel.places) + 2 * (i64)node;
    const Two* pose = of_device(channel.poses) + 3 * (i64)node;
    const Two xy = place[0], z_known = place[1];
    // All at once, though some are too far off the plane for the rest to matter.
    const Two first = pose[0], second = pose[1], third = pose[2];
    const real away_x = xy.a - at[0];
    const real away_y = xy.b - at[1];
    const real away_z = z_known.a - at[2];
    const real square = (away_x * away_x + away_y * away_y) + away_z * away_z;
    const real off_plane =
        (away_x * normal[0] + away_y * normal[1]) + away_z * normal[2];
    if (is_beyond(channel.radius, square, fabs(off_plane) * channel.plane_factor))
        return NO_MATCH;
    const real stored_normal[3] = {first.a, first.b, second.a};
    real turned = cosine(stored_normal, normal);
    real value = ((real)0.5 - sqrt(((real)1 - turned) * (real)0.5)) *
                 channel.normal_weight;
    if (channel.direction_known) {
        const real stored_direction[3] = {second.b, third.a, third.b};
        turned = cosine(stored_direction, direction);
        const real part = ((real)0.5 - sqrt(((real)1 - turned) * ((real)1 + turned))) *
                          z_known.b;
        value = value + part * channel.direction_weight;
    }
    if (channel.scores)
        value = value + of_device(channel.scores)[node];
    return value;
}

// The best match so far.
struct Best {
    real value;
    real missing;                 // zero, unless a value is NaN or infinite

    __device__ __forceinline__ void learn(real evidence)
    {
        value = fmax(value, evidence);
        missing = missing + evidence * (real)0;
    }
};

static __device__ __forceinline__ int first_lane(unsigned int lanes)
{
    return lanes ? __popc((lanes & (0u - lanes)) - 1) : 0;
}

#define PAIRS (WARP + SEARCHES * AT_HAND)
#define EXACT (PAIRS * (int)sizeof(int) / (int)sizeof(real))

// What the lanes of a warp share. Each has a hypothesis; LANES of them search together
// for one after the other, and all of them look at what was found.
struct Room {
    Segment segment;
    Channel channel;
    real at[3][WARP];
    real normal[3][WARP];
    real direction[3][WARP];
    real evidence[WARP];          // so far; kept here, as registers are scarce
    real best[WARP];              // the best match so far
    unsigned int first[WARP];
    int count[WARP];              // members of the cell
    unsigned char is_tested[WARP];
    unsigned char is_usable[WARP];
    unsigned char is_missing[WARP];  // whether a value is NaN or infinite
    unsigned char is_undecided[WARP];  // why, see below
    unsigned char searching[WARP];
    float squares[SEARCHES][AT_HAND];
    unsigned int nodes[SEARCHES][AT_HAND];
    union {
        // Nodes to be looked at, with the lane of the hypothesis in the upper bits.
        unsigned int pairs[PAIRS];
        real exact[EXACT];
    };
};

// Why the nearest nodes of a hypothesis are not known after the search.
#define CLOSE 1
#define TOO_MANY 2

#define LANE_SHIFT 27
#define NODE_MASK ((1u << LANE_SHIFT) - 1)

// Looks at the last pairs; `count` of them, at most one for each lane.
static __device__ __forceinline__ void look_at_pairs(Room& room, int first, int count)
{
    const int lane = threadIdx.x % WARP;
    int owner = -1;
    real value = -INFINITE;
    bool is_missing = false;
    __syncwarp();
    if (lane < count) {
        const unsigned int pair = room.pairs[first + lane];
        owner = (int)(pair >> LANE_SHIFT);
        const real at[3] = {room.at[0][owner], room.at[1][owner], room.at[2][owner]};
        const real normal[3] = {room.normal[0][owner], room.normal[1][owner],
                                room.normal[2][owner]};
        const real direction[3] = {room.direction[0][owner], room.direction[1][owner],
                                   room.direction[2][owner]};
        value = evidence_of(room.channel, pair & NODE_MASK, at, normal, direction);
        if (!(fabs(value) < INFINITE)) {
            is_missing = true;
            value = -INFINITE;
        }
    }
    // Those of one hypothesis stand side by side; the first of them gets the maximum.
    const int before = __shfl_up_sync(ALL_LANES, owner, 1);
    const bool is_first = lane == 0 || before != owner;
    const unsigned int firsts = __ballot_sync(ALL_LANES, is_first);
    const unsigned int firsts_after = lane == WARP - 1 ? 0 : firsts >> (lane + 1);
    for (int step = 1; step < WARP && step < room.channel.wanted; step *= 2) {
        const real other = __shfl_down_sync(ALL_LANES, value, step);
        const bool is_same =
            lane + step < WARP && !(firsts_after & ((1u << step) - 1));
        value = is_same && other > value ? other : value;
    }
    const unsigned int missing = __ballot_sync(ALL_LANES, is_missing) >> lane;
    if (lane < count && is_first) {
        if (value > room.best[owner])
            room.best[owner] = value;
        // One of those that stand before the next hypothesis.
        const unsigned int next = (firsts_after & (0u - firsts_after)) << 1;
        if (missing & (next - 1))
            room.is_missing[owner] = 1;
    }
    __syncwarp();
}

// How many of the nodes at hand are within a distance, for the search of each lane.
template <int USED>
static __device__ __forceinline__ int count_within(const float* squares, float limit)
{
    unsigned int within = 0;
#pragma unroll
    for (int slot = 0; slot < USED; ++slot)
        within += squares[slot] <= limit;
    // A byte for each search, so that one sum does for all.
    const int shift = threadIdx.x % WARP / LANES * 8;
    return (int)(sum_in_warp(within << shift) >> shift & 0xffu);
}

// Returns a square of a distance that just as many nodes as wanted are within, for the
// search of each lane; all lanes of the warp take part. Whether there is none, or
// rounding may have exchanged nodes at the edge, is told too.
template <int USED>
static __device__ __forceinline__ float nearest(const float* squares, int at_hand,
                                                const Channel& channel, bool* is_close)
{
    const int wanted = channel.wanted;
    const bool takes_all = at_hand <= wanted;
    *is_close = false;
    if (!__ballot_sync(ALL_LANES, !takes_all))
        return channel.reach;
    // On a surface the number of nodes grows with the square of the distance.
    const float for_each = channel.reach / (float)(at_hand > 0 ? at_hand : 1);
    float lowest = 0, highest = channel.reach;
    float limit = takes_all ? highest : for_each * ((float)wanted + 0.5f);
    bool is_found = takes_all;
#pragma unroll 1
    for (int glance = 0; glance < GLANCES; ++glance) {
        const int within = count_within<USED>(squares, limit);
        is_found = is_found || within == wanted;
        if (!__ballot_sync(ALL_LANES, !is_found))
            break;
        float next = fmaf(for_each, (float)(wanted - within) + 0.5f, limit);
        lowest = within < wanted ? limit : lowest;
        highest = within < wanted ? highest : limit;
        next = next > lowest && next < highest ? next : 0.5f * (lowest + highest);
        limit = is_found ? limit : next;
    }
    const int within = count_within<USED>(squares, limit + channel.tolerance);
    *is_close = !takes_all && !(is_found && within == wanted);
    return limit;
}

// Which of the nodes at hand are the nearest: a bit for each slot of a lane. USED of
// them are enough for all nodes. None, if rounding may have exchanged nodes.
template <int USED>
static __device__ __forceinline__ unsigned int taken_of(const Room& room, int at_hand,
                                                        int search, bool* is_close)
{
    float squares[USED];
#pragma unroll
    for (int slot = 0; slot < USED; ++slot) {
        const int place = slot * LANES + threadIdx.x % LANES;
        squares[slot] = place < at_hand ? room.squares[search][place] : INFINITY;
    }
    float limit = nearest<USED>(squares, at_hand, room.channel, is_close);
    if (*is_close)
        limit = -1;
    unsigned int taken = 0;
#pragma unroll
    for (int slot = 0; slot < USED; ++slot)
        taken |= (unsigned int)(squares[slot] <= limit) << slot;
    return taken;
}

// The best match of a hypothesis of which rounding may exchange the nearest nodes, by all
// lanes of the warp and without rounding. For the first lane.
static __device__ __forceinline__ real best_of_exactly_nearest(Room* room, int owner)
{
    const int lane = threadIdx.x % WARP;
    const Channel& channel = room->channel;
    const int count = room->count[owner];
    const Member* members = of_device(channel.members) + room->first[owner];
    const real at[3] = {room->at[0][owner], room->at[1][owner], room->at[2][owner]};
    const real normal[3] = {room->normal[0][owner], room->normal[1][owner],
                            room->normal[2][owner]};
    const real direction[3] = {room->direction[0][owner], room->direction[1][owner],
                               room->direction[2][owner]};
    // No pairs are pending, so that their room can be used; if there are more members
    // than fit, what is missing is found again and again.
    const int kept = count < EXACT ? count : EXACT;
    for (int i = lane; i < kept; i += WARP)
        room->exact[i] = square_of(channel, members[i].node, at);
    __syncwarp();
    real best = -INFINITE, missing = 0;
    for (int first = 0; first < count; first += WARP) {
        const int place = first + lane;
        const bool is_member = place < count;
        const unsigned int node = members[is_member ? place : 0].node;
        const real square = square_of(channel, node, at);
        int nearer = 0;
        for (int i = 0; i < count; ++i) {
            const real other = i < kept ? room->exact[i]
                                        : square_of(channel, members[i].node, at);
            // Members are in the order of their numbers, which decides between equals.
            nearer += other < square || (other == square && i < place);
        }
        if (is_member && nearer < channel.wanted) {
            const real value = evidence_of(channel, node, at, normal, direction);
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

// Where there are more nodes than can be kept at hand: a thread goes through all nodes
// in reach, several times.
static __device__ __forceinline__ real best_of_nearest(const Room* room)
{
    const Channel& channel = room->channel;
    const int lane = threadIdx.x % WARP;
    const int count = room->count[lane];
    const Member* members = of_device(channel.members) + room->first[lane];
    const real at[3] = {room->at[0][lane], room->at[1][lane], room->at[2][lane]};
    const real normal[3] = {room->normal[0][lane], room->normal[1][lane],
                            room->normal[2][lane]};
    const real direction[3] = {room->direction[0][lane], room->direction[1][lane],
                               room->direction[2][lane]};
    const real all = channel.radius * channel.radius;
    const int wanted = channel.wanted;
    int found = 0;
    for (int i = 0; i < count; ++i)
        found += square_of(channel, members[i].node, at) <= all;
    Best best = {found < wanted ? NO_MATCH : -INFINITE, 0};
    Limit limit(all, found);
    bool is_found = found <= wanted;
    for (int glance = 0; glance < GLANCES && !is_found; ++glance) {
        limit.next(wanted);
        int within = 0;
        for (int i = 0; i < count; ++i)
            within += square_of(channel, members[i].node, at) <= limit.value;
        is_found = within == wanted;
        if (!is_found)
            limit.learn(within, wanted);
    }
    if (is_found) {
        for (int i = 0; i < count; ++i)
            if (square_of(channel, members[i].node, at) <= limit.value)
                best.learn(
                    evidence_of(channel, members[i].node, at, normal, direction));
        return best.value + best.missing;
    }
    // One after the other, by distance and then by number.
    real last = -1;
    i64 last_node = -1;
    for (int k = 0; k < wanted; ++k) {
        real nearest = INFINITE;
        i64 nearest_node = -1;
        for (int i = 0; i < count; ++i) {
            const i64 node = members[i].node;
            const real square = square_of(channel, (unsigned int)node, at);
            const bool is_after = square > last || (square == last && node > last_node);
            if (is_after && square < nearest) {
                nearest = square;
                nearest_node = node;
            }
        }
        best.learn(
            evidence_of(channel, (unsigned int)nearest_node, at, normal, direction));
        last = nearest;
        last_node = nearest_node;
    }
    return best.value + best.missing;
}

// Finds the best matches that the search has left. Not inlined, as it is rarely called
// and would take the registers of all.
static __device__ __noinline__ void decide(Room* room)
{
    const int lane = threadIdx.x % WARP;
    unsigned int close = __ballot_sync(ALL_LANES, room->is_undecided[lane] == CLOSE);
    for (; close; close &= close - 1) {
        const int owner = first_lane(close);
        const real best = best_of_exactly_nearest(room, owner);
        if (lane == 0)
            room->best[owner] = best;
    }
    __syncwarp();
    if (room->is_undecided[lane] == TOO_MANY)
        room->best[lane] = best_of_nearest(room);
    __syncwarp();
}

// The evidence of the best match among the nearest nodes, for the hypothesis of each
// lane; -1 without a match. What `room` says of the hypotheses must be there.
static __device__ __forceinline__ real best_match(Room& room)
{
    const int lane = threadIdx.x % WARP;
    const int search = lane / LANES;
    const int part = lane % LANES;
    const unsigned int lower_lanes = (1u << lane) - 1;
    const unsigned int lower_parts = (1u << part) - 1;
    const Channel& channel = room.channel;
    const int wanted = channel.wanted;
    const float reach = channel.reach;

    // Those that are not there are beyond the radius.
    room.best[lane] = NO_MATCH;
    room.is_missing[lane] = 0;
    room.is_undecided[lane] = 0;
    const bool searches = room.count[lane] > 0;
    const unsigned int searching = __ballot_sync(ALL_LANES, searches);
    if (searches)
        room.searching[__popc(searching & lower_lanes)] = (unsigned char)lane;
    __syncwarp();

    int pending = 0;
    for (int first = 0; first < __popc(searching); first += SEARCHES) {
        const bool is_one = first + search < __popc(searching);
        const int owner = is_one ? room.searching[first + search] : 0;
        const int count = is_one ? room.count[owner] : 0;
        const Member* members =
            of_device(channel.members) + (is_one ? room.first[owner] : 0);
        const float x = (float)(room.at[0][owner] - channel.origin[0]);
        const float y = (float)(room.at[1][owner] - channel.origin[1]);
        const float z = (float)(room.at[2][owner] - channel.origin[2]);
        const int most = (int)highest_of((unsigned int)count);
        int found = 0;
        for (int base = 0; base < most; base += AHEAD * LANES) {
            Member ahead[AHEAD];
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                const int place = base + k * LANES + part;
                ahead[k].x = INFINITY;
                if (place < count)
                    ahead[k] = members[place];
            }
#pragma unroll
            for (int k = 0; k < AHEAD; ++k) {
                if (base + k * LANES >= most)
                    break;
                const float away_x = ahead[k].x - x;
                const float away_y = ahead[k].y - y;
                const float away_z = ahead[k].z - z;
                const float square =
                    fmaf(away_z, away_z, fmaf(away_y, away_y, away_x * away_x));
                const bool is_within = square <= reach;
                const unsigned int within =
                    __ballot_sync(ALL_LANES, is_within) >> (search * LANES) &
                    ((1u << LANES) - 1);
                const int place = found + __popc(within & lower_parts);
                if (is_within && place < AT_HAND) {
                    room.squares[search][place] = square;
                    room.nodes[search][place] = ahead[k].node;
                }
                found += __popc(within);
            }
        }
        __syncwarp();

        const int at_hand = found > AT_HAND ? 0 : found;
        const int most_at_hand = (int)highest_of((unsigned int)at_hand);
        bool is_close;
        unsigned int taken;
        if (most_at_hand <= 2 * LANES)
            taken = taken_of<2>(room, at_hand, search, &is_close);
        else if (most_at_hand <= 4 * LANES)
            taken = taken_of<4>(room, at_hand, search, &is_close);
        else
            taken = taken_of<SLOTS>(room, at_hand, search, &is_close);
        if (part == 0 && is_one) {
            if (is_close || found > AT_HAND)
                room.is_undecided[owner] = is_close ? CLOSE : TOO_MANY;
            if (found >= wanted)
                room.best[owner] = -INFINITE;
        }
        // The pairs of a search stand side by side.
        int end = __popc(taken);
        for (int step = 1; step < WARP; step *= 2) {
            const int before = __shfl_up_sync(ALL_LANES, end, step);
            end += lane >= step ? before : 0;
        }
        int start = pending + end - __popc(taken);
        pending += __shfl_sync(ALL_LANES, end, WARP - 1);
        for (; taken; taken &= taken - 1) {
            const int place = first_lane(taken) * LANES + part;
            room.pairs[start++] =
                room.nodes[search][place] | ((unsigned int)owner << LANE_SHIFT);
        }
        const bool is_last = first + SEARCHES >= __popc(searching);
        while (pending >= WARP || (is_last && pending > 0)) {
            const int looked_at = pending < WARP ? pending : WARP;
            pending -= looked_at;
            look_at_pairs(room, pending, looked_at);
        }
        // What was at hand is not read any more.
        __syncwarp();
    }
    if (__ballot_sync(ALL_LANES, room.is_undecided[lane]))
        decide(&room);
    return room.is_missing[lane] ? (real)NAN : room.best[lane];
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

static __device__ __forceinline__ real highest_in_warp(real value)
{
    for (int step = 1; step < WARP; step *= 2)
        value = fmax(value, __shfl_xor_sync(ALL_LANES, value, step));
    return value;
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
    return first_lane(
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
            __shfl_sync(ALL_LANES, found.unusable, first_lane(unusable));
    if (threadIdx.x % WARP == 0)
        work->found[WARPS * (i64)blockIdx.x + threadIdx.x / WARP] = all;
}

// Notes what a hypothesis expects in an input channel, and which nodes are in reach of
// it; returns whether it can be computed with.
static __device__ __forceinline__ bool begin_search(Room& room, bool fused,
                                                    const real* at, const real* pose)
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
        room.normal[axis][lane] = normal;
        room.direction[axis][lane] = direction;
    }
    room.count[lane] = members_at(room.channel, at, &room.first[lane]);
    return is_usable;
}

// A block for UPDATE_THREADS hypotheses of a segment.
extern "C" __global__ void __launch_bounds__(UPDATE_THREADS, UPDATE_BLOCKS)
    update(const Work* work, const Hypotheses* hypotheses)
{
    __shared__ Room rooms[WARPS];
    __shared__ real least[WARPS];
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
    real at[3] = {0, 0, 0}, pose[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
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
            room.at[axis][lane] = at[axis];
        }
        is_tested = is_usable && evidence >= segment.threshold;
    }

    room.count[lane] = 0;
    room.is_tested[lane] = is_tested;
    if (is_tested)
        is_usable = begin_search(room, fused, at, pose);
    room.is_usable[lane] = is_usable;

    for (int number = 0; number < (int)segment.channels; ++number) {
        if (number) {
            load_record(&room.channel,
                        work->match_channels + segment.first_match + number);
            room.count[lane] = 0;
            if (room.is_tested[lane]) {
                // Read again: to keep them would take the registers of all.
                real pose_again[9], at_again[3];
                const real* poses =
                    of_device(hypotheses->poses + segment.row_start + place);
                for (int i = 0; i < 9; ++i)
                    pose_again[i] = poses[i * hypotheses->capacity];
                for (int axis = 0; axis < 3; ++axis)
                    at_again[axis] = room.at[axis][lane];
                if (!begin_search(room, fused, at_again, pose_again))
                    room.is_usable[lane] = 0;
            }
        }
        const real new_evidence = best_match(room);
        if (room.is_tested[lane]) {
            if (!usable(new_evidence))
                room.is_usable[lane] = 0;
            gain = gain + new_evidence;
        }
        // What it takes for others not to gain on the worst that was tested.
        if (segment.threshold > -INFINITE) {
            real lowest = room.is_tested[lane] ? new_evidence : INFINITE;
            for (int step = WARP / 2; step > 0; step /= 2)
                lowest = fmin(lowest, __shfl_down_sync(ALL_LANES, lowest, step));
            if (lane == 0)
                least[warp] = lowest;
            __syncthreads();
            if (threadIdx.x == 0) {
                for (int other = 1; other < WARPS; ++other)
                    lowest = fmin(lowest, least[other]);
                work->least[blockIdx.x * work->channels + number] = lowest;
            }
            __syncthreads();
        }
    }

    Found found = nothing_found();
    if (is_there) {
        evidence = room.evidence[lane];
        found.highest_before = evidence;
        found.row_before = place;
        found.gain_before = gain;
        found.tested = room.is_tested[lane];
        if (!room.is_usable[lane])
            found.unusable = place;
        if (room.is_tested[lane])
            evidence = evidence * segment.past_weight + gain * segment.present_weight;
        of_device(hypotheses->evidence[1 - segment.side])[segment.row_start + place] =
            evidence;
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
    for (i64 warp = WARPS * work->block_starts[segment] + threadIdx.x;
         warp < WARPS * work->block_starts[segment + 1]; warp += COMBINE_THREADS)
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
