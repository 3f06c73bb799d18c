"""The pages in a real browser: headless Chromium, as on a phone and on a desk, light and dark."""

from __future__ import annotations

import shutil
from itertools import pairwise

import pytest
from synthetic_runs import ARMS, make_run

from beansim.report import write_report
from beansim.report.write import write_comparison, write_strategy

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PHONE, DESK = {"width": 375, "height": 800}, {"width": 1280, "height": 900}
LONG = "strategies/" + "a_long_name_without_a_break_" * 4 + ".py:Mine<b>"


@pytest.fixture(scope="module")
def browser():
    """A headless browser; the tests are skipped where there is none."""
    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("no Chromium is installed")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The three kinds of page, of a run with a name that is hard to fit."""
    folder = tmp_path_factory.mktemp("pages")
    names = ("trader", LONG, "hermit", "miser:ask=2")
    arms = [(name, variant, names, world) for name, variant, _, world in ARMS]
    run = make_run(folder / "run", arms, deals=200)
    written = [
        write_report(run, folder / "run", ("win_share", "head_to_head")),
        write_comparison(run, run, folder / "run", formats=("html",)),
        write_strategy(run, folder / "run", LONG, formats=("html", "csv")),
    ]
    return [report.html.as_uri() for report in written]


@pytest.fixture
def show(browser):
    """Open a page in a window and colour scheme; fails at the end if it logged or requested anything."""
    contexts, said = [], []

    def open_page(address, size, scheme="light", **options):
        context = browser.new_context(viewport=size, color_scheme=scheme, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: said.append(request.url) if _is_outside(request.url) else None)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []


def _is_outside(address):
    return not address.startswith(("file:", "data:"))


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_load_quietly_and_never_scroll_sideways(show, pages, size, scheme):
    for address in pages:
        page = show(address, size, scheme)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size["width"], f"{address} is {wide} pixels wide"
        broken = page.evaluate("[...document.images].filter(i => !i.complete || !i.naturalWidth).length")
        assert broken == 0
        cut = page.evaluate(
            "[...document.querySelectorAll('caption span')].filter(one => one.getBoundingClientRect().right >"
            " one.closest('.scroll').getBoundingClientRect().right).length"
        )
        assert cut == 0
        ink, ground = (page.evaluate(f"getComputedStyle(document.body).{key}") for key in COLORS)
        assert (_light(ground) > _light(ink)) is (scheme == "light")
        # WCAG's contrast for text, 4.5 to 1.
        assert _contrast(ink, ground) > 4.5


COLORS = ("color", "backgroundColor")


def _light(color):
    parts = [int(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one, other):
    high, low = sorted((_light(one), _light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def column(page, table, place):
    """The order keys of a column, as shown from top to bottom."""
    return page.eval_on_selector_all(
        f".table:has(#table-{table}) tbody tr:not([hidden]) td:nth-child({place})",
        "cells => cells.map(cell => cell.dataset.order)",
    )


def test_a_click_on_a_heading_sorts_and_another_one_turns_it_round(show, pages):
    page = show(pages[0], DESK)
    heading = page.locator(".table:has(#table-summary) th", has_text="win share")
    before = column(page, "summary", 5)
    heading.locator("button").click()
    up = [float(value) for value in column(page, "summary", 5)]
    assert up == sorted(up) != [float(value) for value in before]
    assert heading.get_attribute("aria-sort") == "ascending"
    heading.locator("button").click()
    assert [float(value) for value in column(page, "summary", 5)] == sorted(up, reverse=True)
    assert heading.get_attribute("aria-sort") == "descending"


def test_sorting_works_with_the_keyboard_alone(show, pages):
    page = show(pages[0], DESK)
    page.locator(".table:has(#table-summary) th button").nth(1).focus()
    page.keyboard.press("Enter")
    names = column(page, "summary", 2)
    assert names == sorted(names, key=str.casefold) or names[0] < names[-1]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('th').cellIndex") == 2


def test_rows_filter_by_text(show, pages):
    page = show(pages[0], DESK)
    block = page.locator(".table:has(#table-summary)")
    block.locator("input[type=search]").fill("HERMIT")
    assert set(column(page, "summary", 2)) == {"hermit"}
    assert block.locator("output").inner_text() == "2 of 8"
    block.locator("input[type=search]").fill("")
    assert len(column(page, "summary", 2)) == 8


def test_headings_captions_and_charts_speak_to_a_screen_reader(show, pages):
    for address in pages:
        page = show(address, DESK)
        levels = page.eval_on_selector_all("h1, h2, h3", "all => all.map(one => Number(one.tagName[1]))")
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))
        assert page.evaluate("[...document.images].every(image => image.alt.length > 40)")
        assert page.evaluate("[...document.querySelectorAll('table')].every(table => table.caption)")
        names = page.eval_on_selector_all("input", "all => all.map(one => one.labels.length)")
        assert all(names)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"


def test_a_page_without_scripts_still_shows_everything(show, pages):
    page = show(pages[0], PHONE, java_script_enabled=False)
    assert page.locator("table").count() > 5
    assert page.locator("tbody tr").first.is_visible()


def test_a_page_prints_with_nothing_cut_off(show, pages):
    for address in pages:
        page = show(address, {"width": 794, "height": 1123})
        page.emulate_media(media="print")
        assert page.locator("nav").first.is_hidden()
        cut = page.evaluate(
            "[...document.querySelectorAll('.scroll')]"
            ".filter(box => box.getBoundingClientRect().left + box.scrollWidth > innerWidth)"
            ".map(box => box.getAttribute('aria-labelledby'))"
        )
        assert cut == []
