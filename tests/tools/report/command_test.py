# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path
from unittest.mock import patch

from monty_tools.report import page
from tbp.monty.cli import main
from tests.tools.report.made import bench_file, parity_file, profile_folder

HOSTILE = "<script>alert('1')</script>\" onclick=\"alert(1)"


class Tags(HTMLParser):
    """What a browser finds in a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.titles: list[str] = []
        self.links: list[str] = []
        self.attributes: set[str] = set()
        self.policy = ""
        self._tags: list[str] = []
        self.feed(text)

    def count(self, tag: str) -> int:
        return self._tags.count(tag)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = dict(attrs)["content"]

    def handle_data(self, data: str) -> None:
        if self._tags and self._tags[-1] == "h2" and data.strip():
            self.titles.append(data)


class CommandTestCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.out = self.folder / "page.html"

    def report(self, *inputs: Path, library: str | None = "") -> tuple[int, str]:
        """Run the command in this process; making the library takes seconds.

        Returns:
            The exit status, and what was printed.
        """
        output = io.StringIO()
        with (
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
            contextlib.ExitStack() as stack,
        ):
            if library is not None:
                stack.enter_context(patch.object(page, "_library", lambda: library))
            words = [*map(str, inputs), f"--out={self.out}", "--force"]
            status = main(["report", *words])
        return status, output.getvalue()

    def assert_fails(self, why: str, *inputs: Path) -> None:
        status, output = self.report(*inputs)
        self.assertEqual(status, 2, output)
        self.assertRegex(output, why)
        self.assertEqual(len(output.splitlines()), 1, output)
        self.assertFalse(self.out.exists())


class PageTest(CommandTestCase):
    def test_a_page_of_1000_steps_has_less_than_5_mb_and_all_it_needs(self) -> None:
        made = profile_folder(self.folder / "run.profile", episodes=20, steps=50)
        status, output = self.report(made, library=None)
        self.assertEqual(status, 0, output)
        self.assertLess(self.out.stat().st_size, 5_000_000)
        text = self.out.read_text("utf-8")
        found = Tags(text)
        self.assertEqual([one for one in found.links if not one.startswith("#")], [])
        self.assertTrue(found.policy.startswith("default-src 'none'; "), found.policy)
        titles = {"Run", "Where it ran", "Timeline", "Over an episode", "Memory"}
        self.assertEqual({*found.titles}, titles | {"Recognition"})

    def test_the_library_is_bundled_once(self) -> None:
        with (
            patch.object(page, "build_folder", lambda: self.folder),
            patch.object(page.vl_convert, "javascript_bundle", lambda: "vega = 1"),
        ):
            self.assertEqual(page._library(), "vega = 1")
        with patch.object(page, "build_folder", lambda: self.folder):
            self.assertEqual(page._library(), "vega = 1")

    def test_sections_are_there_only_for_what_is_given(self) -> None:
        status, output = self.report(parity_file(self.folder / "parity.json"))
        self.assertEqual(status, 0, output)
        found = Tags(self.out.read_text("utf-8"))
        self.assertEqual(found.titles, ["Parity of upstream and numba"])

    def test_a_run_that_did_nothing_is_a_page_too(self) -> None:
        made = profile_folder(self.folder / "run.profile", episodes=0)
        status, output = self.report(made)
        self.assertEqual(status, 0, output)
        self.assertEqual(
            Tags(self.out.read_text("utf-8")).titles, ["Run", "Where it ran"]
        )

    def test_a_benchmark_without_upstream_is_a_table(self) -> None:
        alone = {"backend": "cuda", "ratio": None, "ratio_quartiles": None}
        status, output = self.report(bench_file(self.folder / "cuda.json", [alone]))
        self.assertEqual(status, 0, output)
        found = Tags(self.out.read_text("utf-8"))
        self.assertEqual((found.count("table"), found.count("figure")), (1, 0))

    def test_several_profiles_are_put_side_by_side(self) -> None:
        inputs = [
            profile_folder(self.folder / backend, backend=backend, steps=2, episodes=1)
            for backend in ("numba", "cuda")
        ]
        status, output = self.report(*inputs)
        self.assertEqual(status, 0, output)
        found = Tags(self.out.read_text("utf-8"))
        self.assertEqual(found.titles[0], "Profiles side by side")
        self.assertEqual(found.titles.count("Timeline"), 2)


class HostileTest(CommandTestCase):
    def test_names_are_text_wherever_they_are_shown(self) -> None:
        made = profile_folder(
            self.folder / "<b>.profile",
            objects=[HOSTILE, "mug"],
            backend=HOSTILE,
            lm=HOSTILE,
        )
        bench = bench_file(self.folder / "bench.json", [{"backend": HOSTILE}])
        status, output = self.report(made, bench)
        self.assertEqual(status, 0, output)
        text = self.out.read_text("utf-8")
        found = Tags(text)
        self.assertEqual(found.count("b"), 0)
        self.assertEqual(found.attributes & {"onclick", "alert"}, set())
        # Two of ours, and one per chart with its data.
        charts = text.count('class="chart"')
        self.assertEqual(found.count("script"), 2 + 1 + charts)
        for escaped in ("&lt;script&gt;alert", "\\u003cscript\\u003ealert"):
            self.assertGreater(text.count(escaped), 0, escaped)

    def test_a_truncated_profile_is_refused(self) -> None:
        for name in ("profile.json", "timeline.json", "steps.jsonl"):
            with self.subTest(name):
                made = profile_folder(self.folder / name, episodes=1, steps=2)
                whole = (made / name).read_bytes()
                (made / name).write_bytes(whole[: len(whole) // 2])
                self.assert_fails(rf"monty report: .*{name}", made)

    def test_what_is_something_else_is_refused(self) -> None:
        (self.folder / "empty").mkdir()
        self.assert_fails("monty report: .*empty", self.folder / "empty")
        self.assert_fails("No such file", self.folder / "nowhere.json")
        for text in ("", "{", "[]", "null", '{"format": "monty-tea"}', "[" * 100_000):
            with self.subTest(text[:30]):
                other = self.folder / "other.json"
                other.write_text(text, "utf-8")
                self.assert_fails("monty report: .*other.json: cannot be shown", other)
        (self.folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\xff")
        self.assert_fails("picture.png: cannot be shown", self.folder / "picture.png")

    def test_a_file_of_another_version_or_shape_is_refused(self) -> None:
        file = parity_file(self.folder / "p.json", format_version=2)
        self.assert_fails("format version 2; this release reads 1", file)
        self.assert_fails("damaged: TypeError", parity_file(file, rows=3))
        self.assert_fails("damaged: TypeError", bench_file(file, [{"median_s": "x"}]))
        self.assert_fails("NaN", bench_file(file, [{"median_s": float("nan")}]))
        made = profile_folder(self.folder / "run.profile", episodes=1, steps=1)
        self.assert_fails("a profile is a folder", made / "profile.json")

    def test_a_page_that_is_there_survives_a_failure(self) -> None:
        self.out.write_text("an earlier page", "utf-8")
        made = parity_file(self.folder / "parity.json")
        output = io.StringIO()
        with contextlib.redirect_stderr(output):
            self.assertEqual(main(["report", str(made), f"--out={self.out}"]), 2)
        self.assertIn("--force replaces it", output.getvalue())
        status, _ = self.report(self.folder / "nowhere.json")
        self.assertEqual((status, self.out.read_text("utf-8")), (2, "an earlier page"))


class ExtraTest(CommandTestCase):
    def test_without_its_extra_only_this_command_fails(self) -> None:
        file = parity_file(self.folder / "parity.json")
        with patch("importlib.util.find_spec", lambda _: None):
            self.assert_fails(r"vl_convert not installed.*'\.\[report\]'", file)

    def test_other_commands_do_not_import_it(self) -> None:
        names = json.dumps(["vl_convert", "jinja2", "monty_tools.report"])
        code = (
            "import sys; from tbp.monty.cli import main; main(['backends']); "
            f"sys.exit(any(name in sys.modules for name in {names}))"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
