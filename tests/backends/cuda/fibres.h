// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// What CUDA's C++ has and the host's lacks. Blocks run one after the other. The threads
// of a block are fibres: each runs until a barrier, a vote, a sum or a shuffle.

#include <setjmp.h>
#include <ucontext.h>

#include <math.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#define __global__
#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)

using std::fabs;
using std::floor;
using std::fma;
using std::fmax;
using std::fmin;
using std::sqrt;

static long long __double_as_longlong(double x)
{
    long long bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static int __double2int_rd(double x)
{
    return (int)fmin(fmax(floor(x), -2147483648.0), 2147483647.0);
}

static int __float2int_rd(float x)
{
    return __double2int_rd(x);
}

struct Index {
    unsigned int x;
};

static Index threadIdx, blockIdx, blockDim;

namespace fibres {

typedef void (*Kernel)(long long, long long, long long, long long, long long,
                       long long, long long, long long, long long, long long);

constexpr int STACK = 1 << 16;
constexpr int LANES = 32;

// A barrier for some threads; it does not wait for those that have ended.
struct Barrier {
    int running = 0;
    int waiting = 0;
    int times = 0;

    void open_if_all_wait()
    {
        if (running && waiting == running) {
            waiting = 0;
            ++times;
        }
    }
};

static jmp_buf scheduler;
static ucontext_t first_context;
static std::vector<ucontext_t> contexts;
static std::vector<jmp_buf*> places;
static std::vector<char> stacks;
static std::vector<char> is_done;
static std::vector<char> is_started;
static std::vector<long long> slots;
static std::vector<Barrier> warps;
static std::vector<Barrier> some_lanes;  // by the first of them
static Barrier block;
static Kernel kernel;
static const long long* arguments;

// Fibres are switched by jumps, as a switch of contexts is a system call each time.
static void yield()
{
    if (!_setjmp(*places[threadIdx.x]))
        _longjmp(scheduler, 1);
}

static void leave(Barrier& barrier)
{
    --barrier.running;
    barrier.open_if_all_wait();
}

static void run_thread()
{
    const long long* a = arguments;
    kernel(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
    is_done[threadIdx.x] = 1;
    leave(block);
    leave(warps[threadIdx.x / LANES]);
    _longjmp(scheduler, 1);
}

static void wait_at(Barrier& barrier)
{
    const int times = barrier.times;
    ++barrier.waiting;
    barrier.open_if_all_wait();
    while (barrier.times == times)
        yield();
}

static void resume(unsigned int thread)
{
    threadIdx.x = thread;
    if (_setjmp(scheduler))
        return;
    if (is_started[thread])
        _longjmp(*places[thread], 1);
    is_started[thread] = 1;
    ucontext_t& context = contexts[thread];
    getcontext(&context);
    context.uc_stack.ss_sp = stacks.data() + (size_t)thread * STACK;
    context.uc_stack.ss_size = STACK;
    context.uc_link = &first_context;
    makecontext(&context, run_thread, 0);
    swapcontext(&first_context, &context);
}

}  // namespace fibres

static void __syncthreads()
{
    fibres::wait_at(fibres::block);
}

static void __syncwarp()
{
    fibres::wait_at(fibres::warps[threadIdx.x / fibres::LANES]);
}

static int __popc(unsigned int bits)
{
    return __builtin_popcount(bits);
}

// Waits for the lanes that take part: those of a mask, or the whole warp.
static void wait_for(unsigned int lanes)
{
    if (lanes == 0xffffffffu) {
        __syncwarp();
        return;
    }
    const unsigned int first = threadIdx.x - threadIdx.x % fibres::LANES;
    int lowest = 0;
    while (!(lanes >> lowest & 1))
        ++lowest;
    fibres::Barrier& barrier = fibres::some_lanes[first + lowest];
    barrier.running = __popc(lanes);
    fibres::wait_at(barrier);
}

// The value of a lane, or one's own value if there is no such lane.
template <typename Value>
static Value of_lane(unsigned int lanes, Value value, int lane)
{
    const unsigned int first = threadIdx.x - threadIdx.x % fibres::LANES;
    static_assert(sizeof(Value) <= sizeof(long long), "a shuffle is of one number");
    std::memcpy(&fibres::slots[threadIdx.x], &value, sizeof(Value));
    wait_for(lanes);
    if (0 <= lane && lane < fibres::LANES)
        std::memcpy(&value, &fibres::slots[first + lane], sizeof(Value));
    wait_for(lanes);
    return value;
}

static int lane_of_thread()
{
    return (int)(threadIdx.x % fibres::LANES);
}

template <typename Value>
static Value __shfl_sync(unsigned int lanes, Value value, int lane)
{
    return of_lane(lanes, value, lane);
}

template <typename Value>
static Value __shfl_down_sync(unsigned int lanes, Value value, int distance)
{
    return of_lane(lanes, value, lane_of_thread() + distance);
}

template <typename Value>
static Value __shfl_xor_sync(unsigned int lanes, Value value, int distance)
{
    return of_lane(lanes, value, lane_of_thread() ^ distance);
}

static unsigned int __ballot_sync(unsigned int, bool vote)
{
    const unsigned int first = threadIdx.x - threadIdx.x % fibres::LANES;
    fibres::slots[threadIdx.x] = vote;
    __syncwarp();
    unsigned int votes = 0;
    for (int lane = 0; lane < fibres::LANES; ++lane)
        votes |= (unsigned int)fibres::slots[first + lane] << lane;
    __syncwarp();
    return votes;
}

static unsigned int __reduce_max_sync(unsigned int, unsigned int value)
{
    const unsigned int first = threadIdx.x - threadIdx.x % fibres::LANES;
    fibres::slots[threadIdx.x] = value;
    __syncwarp();
    unsigned int highest = 0;
    for (int lane = 0; lane < fibres::LANES; ++lane)
        highest = std::max(highest, (unsigned int)fibres::slots[first + lane]);
    __syncwarp();
    return highest;
}

// Runs a kernel whose arguments are all pointers or 64-bit integers. A block consists
// of whole warps.
extern "C" void run_kernel(void* kernel, long long blocks, long long threads,
                           const long long* arguments)
{
    using namespace fibres;
    fibres::kernel = (Kernel)kernel;
    fibres::arguments = arguments;
    contexts.resize(threads);
    stacks.resize((size_t)threads * STACK);
    slots.resize(threads);
    while ((long long)places.size() < threads)
        places.push_back((jmp_buf*)new jmp_buf);
    blockDim.x = (unsigned int)threads;
    for (long long number = 0; number < blocks; ++number) {
        blockIdx.x = (unsigned int)number;
        is_done.assign(threads, 0);
        is_started.assign(threads, 0);
        block = Barrier();
        block.running = (int)threads;
        warps.assign(threads / LANES, Barrier());
        some_lanes.assign(threads, Barrier());
        for (Barrier& warp : warps)
            warp.running = LANES;
        for (bool some_run = true; some_run;) {
            some_run = false;
            for (long long thread = 0; thread < threads; ++thread) {
                if (is_done[thread])
                    continue;
                resume((unsigned int)thread);
                some_run = some_run || !is_done[thread];
            }
        }
    }
}
