// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// Lists of the nodes near each part of a cell, made once for a graph.

// Only nodes with lower numbers are listed.
#define NODES_LISTED 0x10000u

static_assert(PARTS * PARTS * PARTS == 8 * sizeof(Cell::mask), "a bit for each part");

// The middle of a part along an axis, relative to the grid's origin.
static __device__ __forceinline__ float middle_of(int part, float part_length)
{
    return ((float)part + 0.5f) * part_length;
}

// Finds which parts of cells have a list. One block per UPDATE_THREADS cells of a graph.
// Locations beyond the grid belong to its outermost parts, which are unbounded outwards.
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
    // Slightly enlarged, so that rounding loses no node.
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

// Steps of the bisection for a squared distance within which LISTED nodes are.
#define HALVINGS 20

// A part of a cell, relative to the grid's origin.
struct Part {
    float lowest[3], highest[3];  // infinite where it is unbounded
    float middle[3];
    float reach;

    // The squared distance of a node from the middle; infinite if no location in the
    // part is in reach of it.
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
    // All of them, if they fit; else the limit that bisection finds.
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

// Writes the lists of the parts of cells. One warp per cell of a graph.
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
