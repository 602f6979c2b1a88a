# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Opens a report in Chromium, as a reader does: with a mouse, keys, and a small screen.

With MONTY_SCREENSHOTS=FOLDER, pictures of the page are kept there.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from monty_tools.report.command import REPORT
from tests.tools.report.made import (
    bench_file,
    compare_file,
    parity_file,
    profile_folder,
)

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
WIDTHS = (1280, 390)
HOSTILE = "<script>document.title = 'hostile'</script>"

SPEED_UP = [
    {"backend": backend, "objects": objects, "ratio": ratio}
    for backend, ratios in (("numba", (12, 24, 27)), ("cuda", (15, 90, 230)))
    for objects, ratio in zip((1, 10, 40), ratios, strict=True)
]

# What a browser shows when everything is drawn: one chart per place for one.
DRAWN = """() => {
  const charts = [...document.querySelectorAll(".chart")];
  return charts.every((one) => one.querySelector("svg, canvas"))
      && [...document.querySelectorAll("output")].every((one) => one.textContent);
}"""


CHANGED = "(before) => document.querySelector('output').textContent !== before"


@pytest.mark.thorough
@unittest.skipUnless(CHROMIUM, "no Chromium here: `make chromium` says how to get it")
class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        # Only here, so that the other tests do not need it.
        from playwright.sync_api import sync_playwright  # noqa: PLC0415

        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.file = cls.folder / "page.html"
        inputs = [
            profile_folder(
                cls.folder / "run.profile",
                objects=[HOSTILE, "mug", "bowl"],
                steps=40,
            ),
            bench_file(cls.folder / "bench.json", SPEED_UP),
            parity_file(cls.folder / "parity.json"),
            compare_file(cls.folder / "compare.json", name=HOSTILE),
        ]
        REPORT([*map(str, inputs), f"--out={cls.file}"], None)
        playwright = cls.enterClassContext(sync_playwright())
        # The sandbox cannot be used by root; the page is ours.
        cls.browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        cls.addClassCleanup(cls.browser.close)

    @contextmanager
    def opened(self, width: int = 1280, scheme: str = "light") -> Iterator:
        """Open the page, and check at the end that nothing went wrong in it."""
        context = self.browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        page = context.new_page()
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: wrong.append(request.url))
        page.goto(self.file.as_uri())
        page.wait_for_function(DRAWN)
        yield page
        self.assertEqual(wrong, [self.file.as_uri()])
        context.close()

    def test_it_renders_within_the_width_in_light_and_dark(self) -> None:
        kept = os.environ.get("MONTY_SCREENSHOTS")
        grounds = set()
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                subtest = self.subTest(width=width, scheme=scheme)
                with subtest, self.opened(width, scheme) as page:
                    wide = "document.documentElement.scrollWidth"
                    self.assertLessEqual(page.evaluate(wide), width)
                    self.assertEqual(page.title(), "Monty report")
                    style = "getComputedStyle(document.body).backgroundColor"
                    grounds.add((scheme, page.evaluate(style)))
                    taken = Path(kept or self.folder) / f"{width}-{scheme}.png"
                    page.screenshot(path=taken, full_page=True)
                    self.assertGreater(taken.stat().st_size, 50_000)
        self.assertEqual(len(grounds), 2, grounds)

    def test_charts_follow_a_change_of_the_colour_scheme(self) -> None:
        label = "getComputedStyle(document.querySelector('.chart text')).fill"
        with self.opened() as page:
            light = page.evaluate(label)
            page.emulate_media(color_scheme="dark")
            self.assertNotEqual(page.evaluate(label), light)

    def test_the_timeline_zooms_by_mouse_keys_and_buttons(self) -> None:
        with self.opened() as page:
            timeline = page.locator(".timeline .chart")
            shown = page.locator(".timeline output")
            everything = shown.inner_text()

            def assert_zooms(how: str, act: object) -> None:
                with self.subTest(how):
                    before = shown.inner_text()
                    act()
                    page.wait_for_function(CHANGED, arg=before)

            timeline.scroll_into_view_if_needed()
            page.mouse.wheel(0, 0)
            box = timeline.bounding_box()
            place = {"x": box["width"] / 2, "y": 10}  # the row of episodes
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 60)
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 60)
            assert_zooms("wheel", lambda: page.mouse.wheel(0, -400))
            assert_zooms("plus", lambda: page.keyboard.press("+"))
            assert_zooms("right", lambda: page.keyboard.press("ArrowRight"))
            assert_zooms("minus", lambda: page.keyboard.press("-"))
            assert_zooms("button", page.get_by_role("button", name="Zoom in").click)
            page.mouse.move(box["x"] + 500, box["y"] + 60)
            page.mouse.down()
            assert_zooms("drag", lambda: page.mouse.move(box["x"] + 400, box["y"] + 60))
            page.mouse.up()
            assert_zooms("double click", lambda: timeline.dblclick(position=place))
            assert_zooms("home", lambda: timeline.press("Home"))
            self.assertEqual(shown.inner_text(), everything)

    def test_zoomed_in_the_timeline_says_which_step_is_shown(self) -> None:
        with self.opened() as page:
            shown = page.locator(".timeline output")
            self.assertRegex(
                shown.inner_text(), "episode 0, step 0 to episode 2, step 39"
            )
            for _ in range(8):
                before = shown.inner_text()
                page.locator(".timeline .chart").press("+")
                page.wait_for_function(CHANGED, arg=before)
            self.assertRegex(shown.inner_text(), r"ms on; episode 1, step \d+$")

    def test_the_wheel_scrolls_the_page_until_the_timeline_is_clicked(self) -> None:
        with self.opened() as page:
            page.locator(".timeline .chart").hover()
            shown = page.locator(".timeline output").inner_text()
            before = page.evaluate("scrollY")
            page.mouse.wheel(0, 200)
            page.wait_for_function("(before) => scrollY > before", arg=before)
            self.assertEqual(page.locator(".timeline output").inner_text(), shown)

    def test_tables_sort_by_click_and_by_keyboard(self) -> None:
        with self.opened() as page:
            table = page.locator("table", has_text="Phases").first
            header = table.locator("th", has_text="Seconds")

            def seconds() -> list[float]:
                cells = table.locator("tbody tr td:nth-child(2)")
                return cells.evaluate_all("all => all.map((one) => +one.dataset.value)")

            descending = sorted(seconds(), reverse=True)
            header.locator("button").click()
            self.assertEqual(header.get_attribute("aria-sort"), "descending")
            self.assertEqual(seconds(), descending)
            header.locator("button").press("Enter")
            self.assertEqual(header.get_attribute("aria-sort"), "ascending")
            self.assertEqual(seconds(), descending[::-1])
            name = table.locator("th", has_text="Phase").first.locator("button")
            name.click()
            name.click()
            names = table.locator("tbody tr td:first-child").all_inner_texts()
            self.assertEqual(names, sorted(names))

    def test_the_reader_chooses_an_episode_and_a_learning_module(self) -> None:
        with self.opened() as page:
            chart = page.locator("figure", has_text="Evidence of the top").locator(
                "svg"
            )
            for signal, choice in (("episode", "2"), ("lm", "learning_module_3")):
                with self.subTest(signal):
                    before = chart.inner_html()
                    chosen = page.locator(f"select[data-signal={signal}]")
                    chosen.select_option(choice)
                    page.wait_for_function(
                        "([chart, before]) => chart.innerHTML !== before",
                        arg=[chart.element_handle(), before],
                    )

    def test_an_object_called_script_is_a_name_in_the_charts(self) -> None:
        with self.opened() as page:
            chart = page.locator("figure", has_text="Evidence of the top").locator(
                "svg"
            )
            self.assertIn("<script>", chart.text_content())
            self.assertEqual(page.locator("svg script").count(), 0)
