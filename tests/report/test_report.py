"""The report: complete, self-contained, safe with any name, honest about thin and damaged data."""

from __future__ import annotations

import errno
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import polars as pl
import pytest
from synthetic_runs import ARMS, LINEUP, TWO_PASS, WORLD, make_run

from beansim.analysis.run import Run
from beansim.analysis.synthetic import World
from beansim.errors import InputError
from beansim.report import charts, summary_frame, summary_text, write_report
from beansim.report.findings import alerts, verdict
from beansim.report.names import for_cell, for_chart, for_file, for_markdown, for_shell, plain, shorten_all
from beansim.report.numbers import MINUS, NONE, interval, number, p_text, plus_minus, signed

HOSTILE = (
    '<script>alert("x")</script>',
    '=HYPERLINK("http://x")',
    "two\nlines\tand $\\frac{1}{0}$",
    "\u202eright to left " + "long " * 40,
)


class Page(HTMLParser):
    """What the tests look at in a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.images, self.headings = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "img":
            self.images.append(dict(attrs))


@pytest.fixture(scope="session")
def report(run_folder, tmp_path_factory):
    return write_report(run_folder, tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    arms = [("<b>&\"'", "base", HOSTILE, WORLD), ("-1+1", "two-pass", HOSTILE, TWO_PASS)]
    run = make_run(folder / "run", arms, deals=60, title=HOSTILE[0], command="echo '</script>' ```")
    return write_report(run, folder / "out")


def test_everything_is_there(report):
    assert {path.stem for path in report.tables} == set(all_tables_names())
    assert len(report.charts) == 2 * len(charts.CHARTS)
    assert all(path.exists() and path.stat().st_size for path in [*report.tables, *report.charts])
    assert report.html.stat().st_size < 5_000_000


def all_tables_names():
    from beansim.report.tables import TABLES

    return list(TABLES)


def test_the_page_needs_no_network_and_describes_its_charts(report):
    text = report.html.read_text()
    page = Page(text)
    assert not re.search(r"""(src|href)=["'](https?:)?//""", text)
    assert len(page.images) == len(charts.CHARTS)
    for image in page.images:
        assert len(image["alt"]) > 60
        assert image["src"].startswith("data:image/svg+xml;base64,")
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = [attrs["href"][1:] for tag, attrs in page.tags if tag == "a"]
    assert set(links) <= set(ids)


def test_the_verdict_comes_from_the_numbers(stored):
    said = " ".join(verdict(stored))
    assert re.search(r"Games of two-pass are 36\.\d+ ± 0\.\d+ % shorter than those of base", said)
    assert "In base, trader wins most" in said
    assert "In base, the start seat wins" in said


def test_what_is_not_settled_is_not_claimed(tmp_path):
    level = World(luck=6, noise=6)
    run = Run.read(
        make_run(tmp_path / "run", [("one", "base", LINEUP, level), ("two", "base", LINEUP, level)], 40)
    )
    said = " ".join(verdict(run))
    assert "not settled" in said or "no seat effect is settled" in said
    assert "shorter" not in said


def test_summary_json_is_plain_json_with_a_version(report):
    data = json.loads(report.summary.read_text())
    assert data["schema"] == 2
    assert data["games"] == 8000
    assert data["tables"]["summary"][0]["strategy"] == "trader"
    assert {"seed", "deals", "versions", "command", "verdict", "alerts", "arms"} <= data.keys()


def test_tables_say_what_the_estimates_say(stored):
    frame = summary_frame(stored)
    row = frame.row(0, named=True)
    assert row["win_share_low"] < row["win_share"] < row["win_share_high"]
    assert abs(row["coins"] - 16) < 0.3
    shares = (
        frame.filter(pl.col("arm") == "base").select((pl.col("win_share") * pl.col("copies")).sum()).item()
    )
    assert shares == pytest.approx(1)


def test_markdown_has_the_verdict_and_tables_of_even_width(report):
    text = report.markdown.read_text()
    assert "shorter than those of base" in text
    tables = re.findall(r"(?:^\|.*\|\n)+", text, flags=re.M)
    assert len(tables) >= 5
    for table in tables:
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert len(widths) == 1


def test_csv_opens_with_the_same_rows(report):
    for path in report.tables:
        if path.suffix == ".csv":
            assert len(pl.read_csv(path)) == len(pl.read_parquet(path.with_suffix(".parquet")))


def test_the_same_run_gives_the_same_files(run_folder, report, tmp_path):
    again = write_report(run_folder, tmp_path, ("win_share", "run_outs"))
    for path in [*again.charts, *again.tables, again.summary, again.markdown]:
        assert path.read_bytes() == (report.folder / path.relative_to(again.folder)).read_bytes(), path.name


# --- hostile names ---


def test_markup_is_shown_not_obeyed(hostile):
    text = hostile.html.read_text()
    page = Page(text)
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert "<b>" not in text
    assert "&lt;script&gt;alert" in text
    assert "\u202e" not in text


def test_no_cell_of_a_csv_is_a_formula(hostile):
    for path in hostile.tables:
        if path.suffix == ".csv":
            for column in pl.read_csv(path, infer_schema=False).iter_columns():
                for value in column.drop_nulls():
                    assert re.fullmatch(r"-?[\d.]+(e-?\d+)?", value) or not value.startswith(
                        ("=", "+", "-", "@")
                    )


def test_charts_of_hostile_names_are_well_formed(hostile):
    for path in hostile.charts:
        assert path.resolve().parent.name == "charts"
        if path.suffix == ".svg":
            ET.parse(path)


def test_hostile_names_stay_in_their_markdown_cell(hostile):
    text = hostile.markdown.read_text()
    assert "<script" not in text
    assert text.count("```") == 2


# --- thin, odd and damaged runs ---


@pytest.mark.parametrize("deals", [1, 2, 5])
def test_few_blocks_are_called_thin(tmp_path, deals):
    folder = make_run(tmp_path / "run", deals=deals, chunks=1)
    found = write_report(folder, tmp_path / "out", ())
    assert any("only" in warning for warning in found.data["alerts"])
    assert "thin" in summary_frame(Run.read(folder))["note"][0]


def test_one_arm_of_copies_is_exact_by_symmetry(tmp_path):
    folder = make_run(tmp_path / "run", [("base", "base", ("a",) * 4, WORLD)], deals=50)
    write_report(folder, tmp_path / "out", ())
    row = summary_frame(Run.read(folder)).row(0, named=True)
    assert (row["win_share"], row["win_share_low"]) == (0.25, 0.25)
    assert row["note"].startswith("exact")


def test_errors_and_caps_are_alerts(tmp_path):
    bad = World(broken=0.01, cocky=0.1)
    run = Run.read(make_run(tmp_path / "run", [("base", "base", LINEUP, bad)], deals=200))
    said = " ".join(alerts(run))
    assert "ended with an error of" in said
    assert "left out of every estimate" in said
    assert "a market cap bit in" in said
    error = {"message": "trader, hook bid, answered -3"}
    (run.folder / "errors.json").write_text(json.dumps({"games": 8, "first": [error] * 5}))
    assert alerts(run).count("Error: trader, hook bid, answered -3") == 3


def test_every_deal_with_an_error_still_gives_a_report(tmp_path):
    folder = make_run(tmp_path / "run", [("base", "base", LINEUP, World(broken=1.0))], deals=5)
    found = write_report(folder, tmp_path / "out", ())
    assert "left out" in " ".join(found.data["alerts"])
    assert summary_text(folder)


@pytest.mark.parametrize("chart", charts.CHARTS, ids=lambda chart: chart.name)
@pytest.mark.parametrize("world", [World(broken=1.0), World(noise=0, luck=0)], ids=["broken", "equal"])
def test_charts_of_odd_runs(tmp_path, chart, world):
    run = Run.read(make_run(tmp_path / "run", [("base", "base", LINEUP, world)], deals=3, chunks=3))
    chart.draw(run).draw_without_rendering()
    assert chart.alt(run)


def test_arms_with_other_players_and_many_arms(tmp_path):
    arms = [(f"arm {n}", "base", ("a", "b", "c", "d", "e")[: 3 + n % 3], WORLD) for n in range(7)]
    folder = make_run(tmp_path / "run", arms, deals=40)
    found = write_report(folder, tmp_path / "out", ("seats", "win_share"))
    assert "The tables below hold all 7 arms." in found.data["verdict"]


def test_a_damaged_chunk_is_left_out_and_said(tmp_path):
    folder = make_run(tmp_path / "run", deals=100)
    (folder / "chunks" / "tally-00002.json").write_text("{half a fi")
    found = write_report(folder, tmp_path / "out", ())
    assert found.data["complete"] is False
    said = " ".join(found.data["alerts"])
    assert "tally-00002.json cannot be used" in said
    assert "80 were found" in said


def test_deals_that_two_chunks_hold_are_counted_once_and_said(tmp_path):
    folder = make_run(tmp_path / "run", deals=100)
    shutil.copy(folder / "chunks" / "tally-00002.json", folder / "chunks" / "tally-00009.json")
    found = write_report(folder, tmp_path / "out", ())
    said = " ".join(found.data["alerts"])
    assert "tally-00009.json cannot be used (deals 40 to 59 are tallied twice)" in said
    assert Run.read(folder).tallies.cross.deals == 100


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("versions", None, "versions is None, expected an object"),
        ("seed", "x", "seed is 'x', expected a whole number"),
        ("deals", True, "deals is True, expected a whole number"),
        ("expect", "a", "expect is 'a', expected a list"),
        ("title", 7, "title is 7, expected text"),
    ],
)
def test_a_key_of_another_type_is_damage(tmp_path, key, value, said):
    path = make_run(tmp_path / "run", deals=20) / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), key: value}))
    with pytest.raises(InputError, match=re.escape(f"run.json is damaged: {said}")):
        Run.read(path.parent)


def test_games_that_do_not_add_up_and_rows_that_were_cut_are_said(tmp_path):
    folder = make_run(tmp_path / "run", deals=20)
    info = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps({**info, "games": 5}))
    tally = folder / "chunks" / "tally-00000.json"
    data = json.loads(tally.read_text())
    data.pop("sha256", None)
    (folder / "chunks" / "games-00000.parquet").write_bytes(b"cut")
    tally.write_text(json.dumps({**data, "files": {"games-00000.parquet": "0" * 64}}))
    problems = " ".join(Run.read(folder).problems)
    assert "run.json speaks of 5 games" in problems
    assert "games-00000.parquet is damaged: only its tallies are used." in problems


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [
        ("run.json", "{", "damaged"),
        ("run.json", "[]", "damaged"),
        ("run.json", "[" * 100_000 + "]" * 100_000, "damaged: nested too deep"),
        ("chunks/tally-00000.json", "[" * 100_000 + "]" * 100_000, "nested too deep"),
        ("run.json", '{"format": 9, "arms": [1]}', "format"),
        ("run.json", '{"format": 1, "arms": [{"name": "x"}]}', "damaged"),
        ("run.json", None, "no run folder"),
    ],
)
def test_what_is_no_run_is_refused(tmp_path, name, content, match):
    folder = make_run(tmp_path / "run", deals=4, chunks=1)
    (folder / name).unlink() if content is None else (folder / name).write_text(content)
    with pytest.raises(InputError, match=match):
        write_report(folder, tmp_path / "out", ())


def test_no_chunk_at_all_is_refused(tmp_path):
    folder = make_run(tmp_path / "run", deals=4, chunks=1)
    (folder / "chunks" / "tally-00000.json").unlink()
    with pytest.raises(InputError, match="no finished chunk"):
        write_report(folder, tmp_path / "out", ())


def test_a_place_that_cannot_be_written(run_folder, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write the report"):
        write_report(run_folder, tmp_path / "file" / "out", ())


def test_sample_games_are_told(tmp_path):
    folder = make_run(tmp_path / "run", deals=4, chunks=1)
    game = {"e": "game", "variant": "base", "seed": 1, "game": 0, "players": ["<i>"] * 4, "start": 0}
    (folder / "sample.jsonl").write_text(json.dumps(game) + "\n")
    assert "Game 0 of seed 1" in write_report(folder, tmp_path / "out", ()).html.read_text()
    (folder / "sample.jsonl").write_text("nonsense")
    assert "cannot be told" in write_report(folder, tmp_path / "out", ()).html.read_text()


# --- terminal ---


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_summary_fits_its_width_and_cuts_no_number(run_folder, width):
    text = summary_text(run_folder, width)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    for row in summary_frame(Run.read(run_folder)).iter_rows(named=True):
        assert number(100 * row["win_share"], 1)[:3] in text


def test_long_names_are_shortened_and_stay_apart(tmp_path):
    names = tuple(f"{'strategies/' * 8}mine.py:Clever{n}:margin=0.5" for n in range(4))
    text = summary_text(make_run(tmp_path / "run", [("x" * 90, "base", names, WORLD)], deals=40))
    assert max(map(len, text.splitlines())) <= 80


def test_color_is_asked_for(run_folder, monkeypatch):
    assert "\x1b[" in summary_text(run_folder, color=True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in summary_text(run_folder)


# --- names and numbers ---


def test_names_for_every_place():
    assert plain("a\nb\u202e") == "a\\u000ab\\u202e"
    assert for_chart("$x$") == r"\$x\$"
    assert for_file("../a b\\c:ü") == "a-b-c-u"
    assert for_file("\u202e") == "unnamed"
    assert for_cell("=1+1") == "'=1+1"
    assert for_cell(-3) == -3
    assert for_markdown("a|b_c") == r"a\|b\_c"


def test_shortened_names_differ():
    short = shorten_all(["strategy-number-one-a", "strategy-number-one-b", "strategy-number-two-a"], 9)
    assert len(set(short)) == 3
    assert all(len(name) <= 9 for name in short)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (interval(0.2481, 0.2451, 0.2511, share=True), "24.8 % (24.5 to 25.1)"),
        (interval(0.012, 0.0101, 0.0139, share=True, sign=True), "+1.20 in 100 (+1.01 to +1.39)"),
        (interval(1.0, float("nan"), float("nan")), "1.00"),
        (interval(0.25, 0.25, 0.25, share=True), "25.00 % (no spread)"),
        (interval(float("nan"), 0, 0), NONE),
        (plus_minus(-1.2345, 0.21), "1.23 ± 0.21"),
        (plus_minus(12.345, 4.4), "12 ± 4"),
        (signed(0.5, 1), "+0.5"),
        (signed(0.0, 1), "0.0"),
        (number(-0.001, 1), "0.0"),
        (number(-1234.5, 1), f"{MINUS}1,234.5"),
        (number(None), NONE),
        (p_text(0.00001), "< 0.0001"),
        (p_text(0.034), "0.034"),
    ],
)
def test_numbers_as_people_read_them(text, expected):
    assert text == expected


def test_charts_need_no_screen_and_no_pyplot_state(stored):
    from matplotlib.figure import Figure

    for chart in charts.CHARTS:
        assert isinstance(getattr(charts, chart.name)(stored), Figure)
        assert chart.alt(stored).endswith(".")


def test_the_arms_of_the_fixture_are_those_of_the_run(stored):
    assert [arm.name for arm in stored.arms] == [name for name, *_ in ARMS]


@pytest.mark.parametrize("word", ["plain", "two words", "it's", "two\nlines", "\u202ert'l\\", ""])
def test_a_command_stays_on_one_line_and_says_the_same(word):
    line = for_shell(["echo", word])
    assert line.isprintable()
    bash = shutil.which("bash")
    if bash:
        said = subprocess.run([bash, "-c", f"printf %s {for_shell([word])}"], capture_output=True, check=True)
        assert said.stdout.decode() == word


def test_a_report_that_cannot_be_written_says_that_the_games_are_kept(run_folder, tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("beansim.report.write.write_aside", full)
    with pytest.raises(InputError, match=r"No space left.*games are kept: beansim report .* --out FOLDER"):
        write_report(run_folder, tmp_path, charts=())
