// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// The nearest nodes of a location: those of `numpy/neighbors.py`.

// Whether a node may be within the radius of a location.
static __device__ __forceinline__ bool is_near(const Channel& channel, const real* at)
{
    bool is_near = true;
    for (int axis = 0; axis < 3; ++axis)
        is_near = is_near && at[axis] >= channel.lowest[axis] &&
                  at[axis] <= channel.highest[axis];
    return is_near;
}

// The cell of a location; those beyond the grid belong to its outermost cells.
static __device__ __forceinline__ int cell_of(const Channel& channel, const real* at)
{
    int cell = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const int along =
            floor_of((at[axis] - channel.origin[axis]) * channel.cells_per_unit);
        cell = cell * channel.shape[axis] + clipped(along, channel.shape[axis] - 1);
    }
    return cell;
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

// The nodes within the radius of a location, not more than are wanted.
struct Nearest {
    real squares[MAX_NEIGHBORS];
    unsigned int nodes[MAX_NEIGHBORS];
    int count;

    // Equally near nodes are taken by number.
    __device__ __forceinline__ int farthest() const
    {
        int last = 0;
        for (int i = 1; i < count; ++i)
            if (squares[i] > squares[last] ||
                (squares[i] == squares[last] && nodes[i] > nodes[last]))
                last = i;
        return last;
    }
};

static __device__ __forceinline__ void find_nearest(const Channel& channel,
                                                    const real* at, Nearest& nearest)
{
    nearest.count = 0;
    if (!is_near(channel, at))
        return;
    const unsigned int* starts = of_device(channel.cell_starts) + cell_of(channel, at);
    const unsigned int* members = of_device(channel.members);
    real limit = channel.reach;
    int farthest = 0;
    // The members of a cell are in order: one that is as far as the limit comes later.
#pragma unroll 4
    for (unsigned int i = starts[0]; i < starts[1]; ++i) {
        const unsigned int node = members[i];
        const real square = square_of(channel, node, at);
        if (!(square < limit))
            continue;
        const bool is_full = nearest.count == channel.wanted;
        const int place = is_full ? farthest : nearest.count++;
        nearest.squares[place] = square;
        nearest.nodes[place] = node;
        if (nearest.count == channel.wanted) {
            farthest = nearest.farthest();
            limit = nearest.squares[farthest];
        }
    }
}
