# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Times the update of evidence on a GPU, without Python; `pytest -s` prints the times.

CUDA events time each step of an episode on the synthetic objects. A launch is repeated
on the same hypotheses, as it does not overwrite its inputs. The floor is the time of a
copy in GPU memory of as many bytes as an update reads and writes of its hypotheses.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np
import pytest

from monty_tools.bench.ellipsoid import Observed
from monty_tools.bench.scenario import FEATURES, Scenario, make_scenario
from monty_tools.bench.settings import Settings
from tbp.monty.backends.cuda.availability import reason_against
from tbp.monty.backends.cuda.settings import CudaSettings
from tbp.monty.backends.device.engine import DeviceEngine
from tbp.monty.backends.numpy.features import make_feature_query
from tbp.monty.backends.numpy.new_hypotheses import sensed_frames
from tbp.monty.backends.tables.engine import NewHypotheses
from tbp.monty.backends.tables.graphs import Graph, GraphTable, make_graph
from tbp.monty.backends.tables.kernel_work import KernelWork
from tbp.monty.backends.tables.segments import SegmentKey
from tests.backends.kernel_works import ChannelQuery, SegmentWork, kernel_work

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(reason_against() is not None, reason=str(reason_against())),
]

DISTINCT = 5
"""Learning modules with different nodes. Further ones have copies of these graphs, each
with its own memory on the GPU."""

NODES = 1600
RADIUS = 0.01
MATCHED = {"hsv": (0.1, 0.2, 0.2), "principal_curvatures_log": (1.0, 1.0)}
"""The features that are matched, and their tolerances in upstream's benchmarks."""

REPEATABLE = ("score_nodes", "update", "combine", "find_likely")
"""The kernels of a step in which no hypothesis is added or deleted."""

WARM_UP = 3
ROW_BYTES = 8 * (1 + 3 + 9 + 1 + 3)
"""Per hypothesis: evidence, location and rotation are read, the first two written."""

H200 = {(5, 77): 400e-6, (2500, 10): 20e-3}
"""The most seconds that an update may take on it, in each step of an episode."""


class Size(NamedTuple):
    lms: int
    objects: int
    runs: int
    steps: int


@pytest.mark.parametrize("size", [Size(5, 77, 50, 10), Size(2500, 10, 20, 10)], ids=str)
def test_update(size: Size) -> None:
    from tbp.monty.backends.cuda.gpu import gpu_name  # noqa: PLC0415

    stream = _timed_stream(size.runs)
    engine = DeviceEngine(stream)
    updates = []
    try:
        copied = _bytes_a_second(stream)
        hypotheses = run_episode(engine, stream, size)
        floor = hypotheses * ROW_BYTES / copied
        print(
            f"\n{gpu_name(0)}: {hypotheses:,} hypotheses; a copy takes {_us(floor)} us"
        )
        for step, times in enumerate(stream.steps, start=2):
            medians = {name: np.median(times[name]) for name in REPEATABLE}
            low, high = np.quantile(times["update"], [0.25, 0.75])
            updates.append(medians["update"])
            print(
                f"step {step:>2}: update {_us(updates[-1])} us ({_us(low)} to "
                f"{_us(high)}), the copy is {floor / updates[-1]:.0%} of that; "
                f"scores {_us(medians['score_nodes'])}, "
                f"highest {_us(medians['combine'])}, "
                f"second {_us(medians['find_likely'])}, "
                f"together {_us(sum(medians.values()))}"
            )
    finally:
        engine.close()
    print(f"median over the steps: {_us(np.median(updates))} us")
    if "H200" in gpu_name(0):
        assert max(updates) <= H200[size.lms, size.objects]


def _timed_stream(runs: int) -> Any:
    """Return a stream that repeats and times the launches that are repeatable."""
    from tbp.monty.backends.cuda.gpu import GpuStream  # noqa: PLC0415

    class TimedStream(GpuStream):
        def __init__(self) -> None:
            super().__init__(0, CudaSettings(np.dtype(np.float64), 60.0, None))
            self.steps: list[dict[str, list[float]]] = []

        def next_step(self) -> None:
            self.steps.append({})

        def launch(
            self, kernel: str, blocks: int, threads: int, *arguments: int
        ) -> None:
            super().launch(kernel, blocks, threads, *arguments)
            if kernel not in REPEATABLE or not self.steps or not blocks:
                return
            again = partial(super().launch, kernel, blocks, threads, *arguments)
            self.steps[-1][kernel] = _seconds(self._stream, runs, again)

    return TimedStream()


def _bytes_a_second(stream: Any) -> float:
    """Return the bytes per second that a copy in GPU memory reads and writes."""
    import cupy  # noqa: PLC0415

    size = 2**30
    source, to = (stream.allocate(size, "a copy") for _ in range(2))
    kind = cupy.cuda.runtime.memcpyDeviceToDevice
    copy = partial(stream._copy, to.address, source.address, size, kind)
    return 2 * size / float(np.median(_seconds(stream._stream, 20, copy)))


def _seconds(stream: Any, runs: int, launch: Callable[[], None]) -> list[float]:
    """Return the seconds of each launch on a stream, after a warm-up."""
    import cupy  # noqa: PLC0415

    seconds = []
    for _ in range(WARM_UP + runs):
        began, ended = cupy.cuda.Event(), cupy.cuda.Event()
        began.record(stream)
        launch()
        ended.record(stream)
        ended.synchronize()
        seconds.append(cupy.cuda.get_elapsed_time(began, ended) / 1e3)
    return seconds[WARM_UP:]


def run_episode(engine: DeviceEngine, stream: Any, size: Size) -> int:
    """Run the steps of an episode, and return the number of hypotheses."""
    scenario = make_scenario(
        Settings(
            lms=min(size.lms, DISTINCT),
            objects=size.objects,
            updater="default",
            steps=size.steps,
            nodes=(NODES, NODES),
        )
    )
    known: Any = _graphs(scenario, size.lms)
    graphs = GraphTable(known)
    sensors = [int(lm.removeprefix("LM_")) % len(scenario.percepts) for lm, _ in known]
    table = engine.make_table(0)
    table.add(*(SegmentKey(*key) for key in known))
    new = _first_hypotheses(scenario, graphs, sensors)
    step = engine.begin(table, graphs, _work(scenario, graphs, sensors, 0), new)
    step.update()
    step.append()
    step.finish()
    for number in range(1, size.steps):
        stream.next_step()
        work = _work(scenario, graphs, sensors, number)
        step = engine.begin(table, graphs, work)
        step.update()
        step.finish()
    return int(table.counts.sum())


def _graphs(scenario: Scenario, lms: int) -> dict[tuple[str, str], Graph]:
    columns = [column for name in MATCHED for column in range(*FEATURES[name])]
    known = [
        {
            name: make_graph(
                name,
                graph.pos,
                graph.x[:, slice(*FEATURES["pose_vectors"])],
                graph.x[:, slice(*FEATURES["pose_fully_defined"])],
                graph.x[:, columns],
                RADIUS,
            )
            for name, graph in graphs.items()
        }
        for graphs in scenario.graphs
    ]
    # Copies, because a table stores a shared graph only once.
    return {
        (f"LM_{lm}", name): replace(graph)
        for lm in range(lms)
        for name, graph in known[lm % len(known)].items()
    }


def _work(
    scenario: Scenario, graphs: GraphTable, sensors: Sequence[int], step: int
) -> KernelWork:
    queries = [_query(percepts, step) for percepts in scenario.percepts]
    moved = [
        percepts.locations[step] - percepts.locations[step - 1] if step else None
        for percepts in scenario.percepts
    ]
    segments = [
        SegmentWork(segment, [(segment, sensor)], moved[sensor])
        for segment, sensor in enumerate(sensors)
    ]
    return kernel_work(queries, segments, graphs)


def _query(percepts: Observed, step: int) -> ChannelQuery:
    sensed = {name: getattr(percepts, name)[step] for name in MATCHED}
    return ChannelQuery(
        pose_vectors=percepts.pose_vectors[step],
        pose_fully_defined=bool(percepts.pose_fully_defined[step]),
        curvature=float(np.abs(sensed["principal_curvatures_log"]).max()),
        neighbors=10,
        features=make_feature_query(
            list(MATCHED),
            sum(map(len, MATCHED.values())),
            sensed,
            MATCHED,
            dict.fromkeys(MATCHED, 1.0),
        ),
    )


def _first_hypotheses(
    scenario: Scenario, graphs: GraphTable, sensors: Sequence[int]
) -> NewHypotheses:
    frames = [
        sensed_frames(percepts.pose_vectors[0], 2) for percepts in scenario.percepts
    ]
    each = np.arange(len(sensors))
    return NewHypotheses(
        positions=each,
        matches=each,
        node_counts=graphs.node_counts[each],
        are_best=np.zeros(len(each), dtype=np.bool_),
        poses=np.concatenate(frames),
        pose_starts=2 * np.asarray(sensors),
        pose_counts=np.full(len(each), 2),
        are_aligned=np.ones(len(each), dtype=np.bool_),
        head_starts=np.zeros(len(each)),
    )


def _us(seconds: float) -> str:
    return f"{seconds * 1e6:.0f}"
