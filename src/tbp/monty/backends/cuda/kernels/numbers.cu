// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// Which numbers can be computed with: see `numpy/numbers.py`.

#define INFINITE ((real)INFINITY)

static __device__ __forceinline__ bool usable(real x)
{
    return fabs(x) <= LARGEST;
}
