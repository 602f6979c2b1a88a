// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// Votes: the arithmetic of `numpy/votes.py`, and which hypotheses to vote for.

// The nearest votes that may count, and one more, which tells of ties.
#define VOTES_KEPT (NEAREST_VOTES + 1)

static __device__ __forceinline__ bool is_too_far(real near, real distance)
{
    return (distance - near) / distance <= 0;
}

// Adds votes to the evidence of segments, one thread per hypothesis; the outcome is on
// the other side. Where rounding or equal distances decide which votes count, the
// evidence stays, and the host decides.
extern "C" __global__ void add_votes(const Hypotheses* hypotheses, const Votes* votes)
{
    __shared__ real tile[3][UPDATE_THREADS];
    const i64 segment = votes->block_owners[blockIdx.x];
    const i64 place = votes->block_firsts[blockIdx.x] + threadIdx.x;
    const bool is_row = place < votes->row_counts[segment];
    const i64 row = votes->row_starts[segment] + (is_row ? place : 0);
    const i64 sides = votes->sides[segment], capacity = hypotheses->capacity;
    const i64 first_vote = votes->vote_starts[segment];
    const i64 count = votes->vote_starts[segment + 1] - first_vote;
    const i64 nearest = count < NEAREST_VOTES ? count : NEAREST_VOTES;
    const real* locations = votes->locations + 3 * first_vote;
    const real* numbers = votes->numbers + 3 * segment;
    const real distance = numbers[0], farthest = numbers[1], weight = numbers[2];
    real at[3];
    for (int axis = 0; axis < 3; ++axis)
        at[axis] = locations_on(hypotheses, sides)[axis * capacity + row];
    real squares[VOTES_KEPT];
    i64 found[VOTES_KEPT];
    for (int i = 0; i < VOTES_KEPT; ++i) {
        squares[i] = INFINITE;
        found[i] = 0;
    }
    for (i64 first = 0; first < count; first += UPDATE_THREADS) {
        const i64 own = first + threadIdx.x;
        for (int axis = 0; axis < 3; ++axis)
            tile[axis][threadIdx.x] =
                own < count ? locations[3 * own + axis] : (real)0;
        __syncthreads();
        const i64 rest = count - first;
        const int in_tile = (int)(rest < UPDATE_THREADS ? rest : UPDATE_THREADS);
        for (int i = 0; i < in_tile; ++i) {
            const real x = tile[0][i] - at[0];
            const real y = tile[1][i] - at[1];
            const real z = tile[2][i] - at[2];
            const real square = x * x + y * y + z * z;
            if (!(square < farthest && square < squares[VOTES_KEPT - 1]))
                continue;
            squares[VOTES_KEPT - 1] = square;
            found[VOTES_KEPT - 1] = first + i;
#pragma unroll
            for (int j = VOTES_KEPT - 1; j > 0; --j) {
                if (squares[j] < squares[j - 1]) {
                    const real nearer = squares[j];
                    squares[j] = squares[j - 1];
                    squares[j - 1] = nearer;
                    const i64 vote = found[j];
                    found[j] = found[j - 1];
                    found[j - 1] = vote;
                }
            }
        }
        __syncthreads();
    }
    if (!is_row)
        return;
    bool unsure = !(at[0] - at[0] == 0 && at[1] - at[1] == 0 && at[2] - at[2] == 0);
    real highest = -INFINITE;
    for (int i = 0; i < VOTES_KEPT; ++i) {
        const real near = sqrt(squares[i]);
        if (i == nearest && near < INFINITE)
            unsure = unsure || near - sqrt(squares[i - 1]) <= VOTE_ROUNDING * near;
        if (i >= nearest)
            continue;
        unsure = unsure || is_too_far(near * (1 - VOTE_ROUNDING), distance) !=
                               is_too_far(near * (1 + VOTE_ROUNDING), distance);
        if (!is_too_far(near, distance)) {
            const real confidence = votes->confidences[first_vote + found[i]];
            unsure = unsure || confidence != confidence;
            highest = confidence > highest ? confidence : highest;
        }
    }
    votes->is_unsure[votes->place_starts[segment] + place] = unsure;
    real total = evidence_on(hypotheses, sides)[row];
    if (!unsure) {
        const bool has_vote = highest > -INFINITE;
        total = total + (has_vote ? highest : (real)0) * weight;
        if (votes->are_bounded[segment])
            total = total / (has_vote ? 1 + weight : (real)1);
    }
    evidence_on(hypotheses, sides ^ EVIDENCE_SIDE)[row] = total;
}

// The most likely hypothesis of each segment after votes, and how many are unsure, or
// are no number. One block of SEGMENT_THREADS per segment.
extern "C" __global__ void tell_voted(const Hypotheses* hypotheses, const Votes* votes)
{
    __shared__ real values[SEGMENT_THREADS];
    __shared__ i64 rows[SEGMENT_THREADS];
    __shared__ i64 unsure[SEGMENT_THREADS];
    const i64 segment = blockIdx.x, sides = votes->sides[segment] ^ EVIDENCE_SIDE;
    const i64 start = votes->row_starts[segment], count = votes->row_counts[segment];
    const unsigned char* is_unsure = votes->is_unsure + votes->place_starts[segment];
    const real* evidence = evidence_on(hypotheses, sides) + start;
    real highest = -INFINITE;
    i64 best = NOTHING, own_unsure = 0;
    for (i64 place = threadIdx.x; place < count; place += SEGMENT_THREADS) {
        if (is_better(evidence[place], place, highest, best)) {
            highest = evidence[place];
            best = place;
        }
        own_unsure += is_unsure[place] || evidence[place] != evidence[place];
    }
    values[threadIdx.x] = highest;
    rows[threadIdx.x] = best;
    unsure[threadIdx.x] = own_unsure;
    __syncthreads();
    for (int step = SEGMENT_THREADS / 2; step > 0; step /= 2) {
        const int other = threadIdx.x + step;
        if ((int)threadIdx.x < step) {
            if (is_better(values[other], rows[other], values[threadIdx.x],
                          rows[threadIdx.x])) {
                values[threadIdx.x] = values[other];
                rows[threadIdx.x] = rows[other];
            }
            unsure[threadIdx.x] += unsure[other];
        }
        __syncthreads();
    }
    if (threadIdx.x)
        return;
    Result* result = votes->results + segment;
    votes->unsure[segment] = unsure[0];
    result->count = count;
    result->sides = sides;
    result->tested = 0;
    result->unusable = result->second_most_likely = -1;
    result->highest = values[0];
    result->highest_slope = result->prediction_error = result->untested_gain = NAN;
    result->most_likely = rows[0] == NOTHING ? -1 : rows[0];
    tell_row(hypotheses, sides, start + (rows[0] == NOTHING ? 0 : rows[0]),
             result->location, result->pose);
}

// The lowest and the highest evidence of each segment; NaN if one of them is. One block
// of SEGMENT_THREADS per segment.
extern "C" __global__ void find_extremes(const Hypotheses* hypotheses,
                                         const i64* row_starts, const i64* row_counts,
                                         const i64* sides, const i64*, real* extremes)
{
    __shared__ real low[SEGMENT_THREADS];
    __shared__ real high[SEGMENT_THREADS];
    const i64 segment = blockIdx.x;
    const real* evidence =
        evidence_on(hypotheses, sides[segment]) + row_starts[segment];
    real lowest = INFINITE, highest = -INFINITE;
    for (i64 place = threadIdx.x; place < row_counts[segment];
         place += SEGMENT_THREADS) {
        const real value = evidence[place];
        // Once it is NaN, it stays so.
        lowest = value < lowest || value != value ? value : lowest;
        highest = value > highest || value != value ? value : highest;
    }
    low[threadIdx.x] = lowest;
    high[threadIdx.x] = highest;
    __syncthreads();
    for (int step = SEGMENT_THREADS / 2; step > 0; step /= 2) {
        if ((int)threadIdx.x < step) {
            const real other_low = low[threadIdx.x + step];
            const real other_high = high[threadIdx.x + step];
            if (other_low < low[threadIdx.x] || other_low != other_low)
                low[threadIdx.x] = other_low;
            if (other_high > high[threadIdx.x] || other_high != other_high)
                high[threadIdx.x] = other_high;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        extremes[2 * segment] = low[0];
        extremes[2 * segment + 1] = high[0];
    }
}

// The evidence that a hypothesis at least needs; see `least_evidence` in Python.
__device__ double least_evidence(const real* extremes, i64 segments, double threshold)
{
    double lowest = INFINITE, highest = -INFINITE;
    for (i64 segment = 0; segment < segments; ++segment) {
        const double low = extremes[2 * segment], high = extremes[2 * segment + 1];
        lowest = low < lowest || low != low ? low : lowest;
        highest = high > highest || high != high ? high : highest;
    }
    double least = threshold;
    if (highest >= 1)
        least = lowest + (threshold / 2 + 0.5) * (highest - lowest);
    else if (threshold < -1)
        return -INFINITE;
    const double rounding = sizeof(real) == sizeof(double) ? 1e-9 : 1e-5;
    return least - rounding * fmax(1.0, fmax(fabs(lowest), fabs(highest)));
}

// The places of the hypotheses that have the evidence they need, in order, and their
// number. One block of SEGMENT_THREADS per segment.
extern "C" __global__ void choose_likely(const Hypotheses* hypotheses,
                                         const i64* row_starts, const i64* row_counts,
                                         const i64* sides, const i64* place_starts,
                                         const real* extremes, i64 segments,
                                         const real* threshold, i64* places,
                                         i64* counts)
{
    __shared__ int chosen_until[SEGMENT_THREADS];
    const i64 segment = blockIdx.x;
    const i64 count = row_counts[segment];
    const real* evidence =
        evidence_on(hypotheses, sides[segment]) + row_starts[segment];
    const double least = least_evidence(extremes, segments, *threshold);
    i64 chosen = 0;
    for (i64 first = 0; first < count; first += SEGMENT_THREADS) {
        const i64 place = first + threadIdx.x;
        const bool is_likely = place < count && evidence[place] >= least;
        chosen_until[threadIdx.x] = is_likely;
        __syncthreads();
        for (int step = 1; step < SEGMENT_THREADS; step *= 2) {
            const int before =
                (int)threadIdx.x >= step ? chosen_until[threadIdx.x - step] : 0;
            __syncthreads();
            chosen_until[threadIdx.x] += before;
            __syncthreads();
        }
        if (is_likely)
            places[place_starts[segment] + chosen + chosen_until[threadIdx.x] - 1] =
                place;
        chosen += chosen_until[SEGMENT_THREADS - 1];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        counts[segment] = chosen;
}

// Copies what was chosen, a hypothesis after the other, as far as there is room. One
// block of SEGMENT_THREADS per segment.
extern "C" __global__ void gather_likely(const Hypotheses* hypotheses,
                                         const i64* row_starts, const i64*,
                                         const i64* sides, const i64* place_starts,
                                         const i64* places, const i64* counts,
                                         real* gathered, i64 room)
{
    const i64 segment = blockIdx.x;
    const i64 capacity = hypotheses->capacity;
    const real* evidence = evidence_on(hypotheses, sides[segment]);
    const real* locations = locations_on(hypotheses, sides[segment]);
    const real* poses = poses_on(hypotheses, sides[segment]);
    i64 start = 0;
    for (i64 before = 0; before < segment; ++before)
        start += counts[before];
    for (i64 i = threadIdx.x; i < counts[segment] && start + i < room;
         i += SEGMENT_THREADS) {
        const i64 row = row_starts[segment] + places[place_starts[segment] + i];
        real* to = gathered + LIKELY_NUMBERS * (start + i);
        to[0] = evidence[row];
        for (int axis = 0; axis < 3; ++axis)
            to[1 + axis] = locations[axis * capacity + row];
        for (int entry = 0; entry < 9; ++entry)
            to[4 + entry] = poses[entry * capacity + row];
    }
}
