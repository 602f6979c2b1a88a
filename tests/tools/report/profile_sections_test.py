# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from monty_tools.profile.schema import Profile, read_profile
from monty_tools.report.content import Chart, Section, Table
from monty_tools.report.profile_sections import profile_sections
from tests.tools.report.made import profile_folder


def unpacked(chart: Chart) -> list[dict]:
    """Return the rows of a chart over steps."""
    data = chart.spec.get("data") or chart.spec["layer"][0]["data"]
    columns = data["columns"]
    count = len(next(iter(columns.values()))["at"])
    return [
        {name: found["of"][found["at"][i]] for name, found in columns.items()}
        for i in range(count)
    ]


class SectionsTestCase(unittest.TestCase):
    def profile(self, **made: object) -> Profile:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return read_profile(profile_folder(Path(folder.name) / "profile", **made))

    def section(self, profile: Profile, title: str) -> Section:
        [found] = [one for one in profile_sections(profile) if one.title == title]
        return found

    def part(self, section: Section, title: str) -> Chart | Table:
        [found] = [
            part
            for part in section.parts
            if title in (getattr(part, "title", None), getattr(part, "caption", None))
        ]
        return found


class RunTest(SectionsTestCase):
    def test_the_phases_are_a_picture_and_a_table(self) -> None:
        profile = self.profile()
        section = self.section(profile, "Run")
        seconds = {k: v["seconds"] for k, v in profile.summary["phases"].items()}
        table = self.part(section, "Phases")
        self.assertEqual({row[0]: row[1] for row in table.rows}, seconds)
        self.assertAlmostEqual(sum(row[2] for row in table.rows), 100)
        drawn = self.part(section, "Time by phase").spec["data"]["values"]
        self.assertEqual({row["name"]: row["value"] for row in drawn}, seconds)

    def test_every_fallback_has_its_reason(self) -> None:
        section = self.section(self.profile(backend="cuda"), "Where it ran")
        reason = "mug: its updater is not known to cuda"
        [fallback] = self.part(section, "Fallbacks").rows
        self.assertEqual(fallback, ("learning_module_4", "cuda", "reference", reason))
        self.assertEqual(self.part(section, "What ran where").rows[-1][-1], reason)


class OverAnEpisodeTest(SectionsTestCase):
    def test_memory_holds_until_it_changes(self) -> None:
        # The made run doubles what it holds after half of the steps.
        section = self.section(
            self.profile(lms=1, episodes=2, steps=4), "Over an episode"
        )
        rows = unpacked(self.part(section, "Memory on the device 0"))
        held = [row["y"] for row in rows if row["series"] == "pool"]
        self.assertEqual(held, [2, 2, 4, 4] * 2)

    def test_evidence_is_of_the_top_five_objects_of_each_learning_module(self) -> None:
        profile = self.profile(episodes=2, steps=9)
        chart = self.part(
            self.section(profile, "Over an episode"), "Evidence of the top objects"
        )
        rows = unpacked(chart)
        for episode in (0, 1):
            for lm in profile.summary["lms"]:
                here = [r for r in rows if (r["episode"], r["lm"]) == (episode, lm)]
                self.assertEqual(len({row["series"] for row in here}), 5)
        known = profile.steps[3]["lms"]["learning_module_1"]["evidence"]
        best = max(known, key=known.get)
        [shown] = [
            row["y"]
            for row in rows
            if (row["episode"], row["step"], row["lm"], row["series"])
            == (0, 3, "learning_module_1", best)
        ]
        self.assertAlmostEqual(shown, known[best], places=3)

    def test_of_many_learning_modules_some_are_shown_and_the_page_says_so(self) -> None:
        section = self.section(self.profile(lms=12, steps=2), "Over an episode")
        chart = self.part(section, "Hypotheses of each learning module")
        self.assertEqual(len({row["series"] for row in unpacked(chart)}), 8)
        self.assertEqual(chart.text, "The first 8 of 12 learning modules.")

    def test_bytes_moved_are_shown_where_a_device_was_used(self) -> None:
        profile = self.profile(steps=2)
        title = "Bytes moved between host and device"
        section = self.section(profile, "Over an episode")
        first = unpacked(self.part(section, title))[0]
        self.assertAlmostEqual(first["y"], profile.steps[0]["bytes_sent"] / 1024)
        for step in profile.steps:
            step.update(bytes_sent=0, bytes_returned=0)
        titles = [part.title for part in self.section(profile, "Over an episode").parts]
        self.assertNotIn(title, titles)


class RecognitionTest(SectionsTestCase):
    def test_the_pose_error_is_of_those_that_recognised_the_target(self) -> None:
        profile = self.profile(lms=3, episodes=1)
        errors = (10.0, 30.0, 90.0)
        names = ("mug", "mug", "bowl")
        [episode] = profile.episodes
        for found, error, name in zip(
            episode["lms"].values(), errors, names, strict=True
        ):
            found.update(rotation_error_deg=error, recognised=name)
        section = self.section(profile, "Recognition")
        [row] = self.part(section, "Episodes").rows
        self.assertEqual(row[:5], (0, "mug", 2, 3, 20.0))
        self.assertEqual(len(self.part(section, "Learning modules").rows), 3)

    def test_what_no_page_can_show_is_counted(self) -> None:
        profile = self.profile(lms=30, episodes=20, steps=1)
        table = self.part(self.section(profile, "Recognition"), "Learning modules")
        self.assertEqual(len(table.rows), 500)
        self.assertEqual(table.note, "100 more rows are in the profile.")
