// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// Dot products and sums, rounded as in `numpy/rounding.py`.

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

// Adds terms in the order in which numpy adds a short row: one after the other if there
// are fewer than eight; else into eight partial sums in turn, and the rest at the end.
struct NumpySum {
    real sums[8];
    real rest;
    int count;
    int total;

    __device__ __forceinline__ NumpySum(int terms) : rest(0), count(0), total(terms) {}

    __device__ __forceinline__ void add(real term)
    {
        if (total < 8) {
            rest = count ? rest + term : term;
        } else if (count < 8) {
            sums[count] = term;
        } else if (count < total - total % 8) {
            sums[count % 8] = sums[count % 8] + term;
        } else {
            if (count == total - total % 8)
                rest = joined();
            rest = rest + term;
        }
        ++count;
    }

    __device__ __forceinline__ real joined() const
    {
        return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
               ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    }

    __device__ __forceinline__ real value() const
    {
        return total < 8 || total % 8 ? rest : joined();
    }
};
