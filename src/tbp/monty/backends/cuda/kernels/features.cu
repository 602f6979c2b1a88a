// Copyright 2026 Thousand Brains Project
//
// Copyright may exist in Contributors' modifications
// and/or contributions to the work.
//
// Use of this source code is governed by the MIT
// license that can be found in the LICENSE file or at
// https://opensource.org/licenses/MIT.

// How well sensed features match: the arithmetic of `numpy/features.py`.

static __device__ __forceinline__ real within_tolerance(real stored, real sensed,
                                                        real tolerance, i64 kind)
{
    real difference = fabs(stored - sensed);
    if (kind == CIRCULAR) {  // if one of these is NaN, all are
        difference = fmin(difference, fabs(((real)1 + stored) - sensed));
        difference = fmin(difference, fabs(stored - (sensed + (real)1)));
    } else if (kind == CATEGORICAL) {
        difference = stored != sensed ? (real)1 : (real)0;
    }
    real left = tolerance - difference;
    if (left < (real)0)
        left = 0;
    return left / tolerance;
}

// How many blocks shall fit on a multiprocessor.
#define SCORE_BLOCKS (1024 / UPDATE_THREADS)
// Up to that many feature columns are added one after the other, see `NumpySum`.
#define FEW_COLUMNS 7

// The first blocks write the records of segments and matches, one thread per record. Then
// one block per UPDATE_THREADS nodes of a match.
extern "C" __global__ void __launch_bounds__(UPDATE_THREADS, SCORE_BLOCKS)
    score_nodes(const Graphs* graphs, const Work* work, const i64* block_matches,
                const i64* block_firsts, i64 segments, i64 matches)
{
    const i64 records = segments > matches ? segments : matches;
    const i64 record_blocks = (records + UPDATE_THREADS - 1) / UPDATE_THREADS;
    if (blockIdx.x < record_blocks) {
        const i64 number = blockIdx.x * (i64)UPDATE_THREADS + threadIdx.x;
        if (number < segments)
            work->segments[number] = segment_of(work, number);
        if (number < matches)
            work->match_channels[number] = channel_of(graphs, work, number);
        return;
    }
    const i64 block = blockIdx.x - record_blocks;
    const i64 match = block_matches[block];
    const i64 graph = work->match_graphs[match];
    const i64 query = work->match_queries[match];
    const i64 nodes = graphs->node_starts[graph + 1] - graphs->node_starts[graph];
    const i64 node = block_firsts[block] + threadIdx.x;
    if (node >= nodes)
        return;
    const i64 first = work->column_starts[query];
    const int columns = (int)(work->column_starts[query + 1] - first);
    const real* features = graphs->features + graphs->feature_starts[graph] + node;
    real score;
    if (columns <= FEW_COLUMNS) {
        // Loaded together, so that the latencies overlap.
        real stored[FEW_COLUMNS];
#pragma unroll
        for (int column = 0; column < FEW_COLUMNS; ++column)
            stored[column] = column < columns ? features[column * nodes] : (real)0;
        score = 0;
#pragma unroll
        for (int column = 0; column < FEW_COLUMNS; ++column) {
            if (column < columns) {
                const i64 at = first + column;
                const real term =
                    within_tolerance(stored[column], work->values[at],
                                     work->tolerances[at], work->kinds[at]) *
                    work->weights[at];
                score = column ? score + term : term;
            }
        }
    } else {
        NumpySum sum(columns);
        for (int column = 0; column < columns; ++column) {
            const i64 at = first + column;
            sum.add(within_tolerance(features[column * nodes], work->values[at],
                                     work->tolerances[at], work->kinds[at]) *
                    work->weights[at]);
        }
        score = sum.value();
    }
    work->scores[work->score_starts[match] + node] =
        (score / work->weight_sums[query]) * work->increments[query];
}
