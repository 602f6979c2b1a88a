// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// What the lanes of a warp have in shared memory during an update.

// What a hypothesis expects in an input channel.
struct Expected {
    real at[3];
    real normal[3];
    const real* direction;        // in `Room`, to save registers
};

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

// For the search by all lanes, where the list does not determine the nearest nodes.
struct Shared {
    real at[3][WARP];
    real normal[3][WARP];
    float at_32[3][WARP];
    int cell[WARP];
    real best[WARP];              // the best match so far
    unsigned char is_missing[WARP];  // whether a value is NaN or infinite
    unsigned char is_undecided[WARP];  // why, see `evidence.cu`
    union {
        unsigned int taken[MAX_NEIGHBORS];  // the nearest nodes
        real exact[EXACT];
    };
};

// The shared memory of a warp, whose lanes have one hypothesis each.
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

// The room of this warp. Recomputed to avoid spilling registers.
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
