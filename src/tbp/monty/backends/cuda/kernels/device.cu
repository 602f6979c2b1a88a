// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// Functions of the device: global memory, warp reductions, rounding to integers.

#ifdef __CUDACC_RTC__  // which has no headers of the C library
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#endif

#define ALL_LANES 0xffffffffu

// Tells the compiler that a pointer points to global memory.
template <typename Value>
static __device__ __forceinline__ Value* of_device(Value* pointer)
{
#ifdef __CUDACC__
    __builtin_assume(__isGlobal(pointer));
#endif
    return pointer;
}

// The maximum over the lanes of a warp, for every lane.
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

static __device__ __forceinline__ real highest_in_warp(real value)
{
    for (int step = 1; step < WARP; step *= 2)
        value = fmax(value, __shfl_xor_sync(ALL_LANES, value, step));
    return value;
}

// The position of the lowest bit that is set; zero if none is.
static __device__ __forceinline__ int lowest_bit(unsigned int bits)
{
    return bits ? __popc((bits & (0u - bits)) - 1) : 0;
}

// The bits of a number, and its floor, saturated to the range of int.
static __device__ __forceinline__ i64 bits_of(double x)
{
    return __double_as_longlong(x);
}

// An integer with the same order; adding zero makes -0.0 and 0.0 equal.
static __device__ __forceinline__ unsigned long long order_of(double x)
{
    const i64 bits = bits_of(x + 0.0);
    return bits ^ (bits >> 63 | (i64)(1ull << 63));
}

static __device__ __forceinline__ int floor_of(double x)
{
    return __double2int_rd(x);
}

static __device__ __forceinline__ int floor_of(float x)
{
    return __float2int_rd(x);
}

static __device__ __forceinline__ int clipped(int value, int highest)
{
    return value < 0 ? 0 : value > highest ? highest : value;
}
