// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// What hypotheses have in common, as records that a block loads at once.

struct alignas(2 * sizeof(real)) Two {
    real a, b;
};

static __device__ __forceinline__ Segment segment_of(const Work* work, i64 number)
{
    Segment segment;
    segment.row_start = work->row_starts[number];
    segment.row_count = work->row_counts[number];
    segment.sides = work->sides[number];
    segment.to_sides = work->to_sides[number];
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
    channel.places = (const Two*)(graphs->places + 4 * first_node);
    channel.poses = (const Two*)(graphs->poses + 6 * first_node);
    channel.scores = score_start < 0 ? 0 : work->scores + score_start;
    channel.members = graphs->members + grid->first_member;
    channel.cell_starts = graphs->cell_starts + grid->first_cell;
    // Slightly enlarged, so that rounding loses nothing.
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
    channel.reach = reach * reach;
    for (int i = 0; i < 6; ++i)
        channel.sensed[i] = work->sensed[6 * query + i];
    channel.plane_factor = (real)1 / (fabs(work->curvatures[query]) + (real)0.5);
    channel.normal_weight = work->pose_weights[2 * query];
    channel.direction_weight = work->pose_weights[2 * query + 1];
    // Without nodes, one is missing.
    channel.wanted = (int)(neighbors < nodes ? neighbors : nodes > 1 ? nodes : 1);
    channel.direction_known = work->direction_known[query] != 0;
    return channel;
}

struct alignas(16) Sixteen {
    unsigned long long a, b;
};

// Copies a record to shared memory, by all threads of a block.
template <typename Record>
static __device__ __forceinline__ void load_record(Record* to, const Record* from)
{
    static_assert(sizeof(Record) % 16 == 0 && sizeof(Record) <= 16 * UPDATE_THREADS,
                  "too long");
    __syncthreads();
    if (threadIdx.x < sizeof(Record) / 16)
        ((Sixteen*)to)[threadIdx.x] = of_device((const Sixteen*)from)[threadIdx.x];
    __syncthreads();
}
