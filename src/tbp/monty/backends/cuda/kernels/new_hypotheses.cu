// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// New hypotheses: the arithmetic of `numpy/new_hypotheses.py`.

// The order of a score; numpy sorts NaN to the end.
static __device__ __forceinline__ unsigned long long order_of_score(real score)
{
    return score != score ? ~0ull : order_of(score);
}

// Writes which nodes of a sample have the highest scores, the best last, in the order of
// `best_nodes`. That order is numpy's own between equal scores; where it matters, notes
// so and leaves the nodes of the sample to the host. One block per UPDATE_THREADS nodes of
// a match.
extern "C" __global__ void choose_nodes(const Graphs* graphs, const Work* work,
                                        const Samples* samples,
                                        const i64* block_matches,
                                        const i64* block_firsts)
{
    __shared__ unsigned long long others[UPDATE_THREADS];
    const i64 match = block_matches[blockIdx.x];
    const i64 sample = samples->match_samples[match];
    if (sample < 0 || !samples->nodes[sample])
        return;
    const i64 graph = work->match_graphs[match];
    const i64 nodes = graphs->node_starts[graph + 1] - graphs->node_starts[graph];
    const i64 node = block_firsts[blockIdx.x] + threadIdx.x;
    const real* scores = of_device(work->scores) + work->score_starts[match];
    const unsigned long long own = node < nodes ? order_of_score(scores[node]) : ~0ull;
    int higher = 0, equal = 0;
    for (i64 first = 0; first < nodes; first += UPDATE_THREADS) {
        const i64 other = first + threadIdx.x;
        __syncthreads();
        // No score has zero.
        others[threadIdx.x] = other < nodes ? order_of_score(scores[other]) : 0;
        __syncthreads();
#pragma unroll 16
        for (int i = 0; i < UPDATE_THREADS; ++i) {
            higher += others[i] > own;
            equal += others[i] == own;
        }
    }
    const i64 chosen = samples->node_counts[sample];
    if (node >= nodes || higher >= chosen)
        return;
    if (equal > 1)  // with itself
        samples->are_tied[sample] = 1;
    else
        samples->nodes[sample][chosen - 1 - higher] = node;
}

// Appends new hypotheses to their segments, on the side just written. One block per
// UPDATE_THREADS hypotheses of a sample.
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
    const i64 sides = work->to_sides[segment];
    const i64 capacity = hypotheses->capacity;
    const i64 which = place % node_count;
    const real* pose =
        samples->poses + 9 * (samples->pose_starts[sample] + place / node_count);
    const i64* chosen = samples->nodes[sample];
    const i64 in_graph = chosen ? chosen[which] : which;
    const i64 node = graphs->node_starts[samples->graphs[sample]] + in_graph;
    const i64 score_start = samples->score_starts[sample];
    const real score = score_start < 0 ? (real)0 : work->scores[score_start + in_graph];
    evidence_on(hypotheses, sides)[row] = score + samples->head_starts[sample];
    for (int i = 0; i < 3; ++i)
        locations_on(hypotheses, sides)[i * capacity + row] = graphs->places[4 * node + i];
    const real* frame = graphs->frames + 9 * node;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            poses_on(hypotheses, sides)[(3 * i + j) * capacity + row] =
                samples->is_aligned[sample]
                    ? dot(work->fuse_products != 0, frame[i], frame[3 + i],
                          frame[6 + i], pose[j], pose[3 + j], pose[6 + j])
                    : pose[3 * i + j];
    if (has_window) {
        for (int i = 0; i < WINDOW_SLOTS; ++i)
            window_on(hypotheses, sides)[i * capacity + row] = (real)NAN;
        slopes_on(hypotheses, sides)[row] = (real)NAN;
        ages_on(hypotheses, sides)[row] = 0;
    }
}
