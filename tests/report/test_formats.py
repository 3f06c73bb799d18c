"""What a report can be written as, the report of a strategy, and two runs side by side."""

from __future__ import annotations

import json
import math

import openpyxl
import polars as pl
import pytest
from synthetic_runs import ARMS, LINEUP, WORLD, make_run

from beansim.analysis.estimates import estimate, strategy
from beansim.analysis.run import Run
from beansim.analysis.synthetic import World
from beansim.cli.main import run_main
from beansim.errors import InputError
from beansim.report import html, tables, write_report
from beansim.report.strategy_page import find_strategy, strategy_frames
from beansim.report.two_runs import Pair, comparison_frames, independent
from beansim.report.write import FORMATS, write_comparison, write_strategy

HOSTILE = ('=HYPERLINK("http://x")', "<script>alert(1)</script>", "\u202eback to front", "x" * 400)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile") / "run"
    return make_run(folder, [("+1|<b>", "base", HOSTILE, WORLD)], deals=40, title="'; DROP\nTABLE <i>")


@pytest.mark.parametrize("kind", FORMATS)
def test_a_format_writes_its_files_and_no_others(run_folder, tmp_path, kind):
    report = write_report(run_folder, tmp_path, formats=(kind,), charts=None if kind == "md" else ())
    written = {path.suffix.lstrip(".") for path in tmp_path.rglob("*") if path.is_file()}
    assert written == ({"md", "png", "svg"} if kind == "md" else {kind})
    if kind in ("csv", "parquet"):
        assert {path.stem for path in report.tables} == set(tables.TABLES)
    else:
        assert report.files[kind].stat().st_size > 1000


def test_an_unknown_format_is_refused_with_the_nearest(run_folder, tmp_path):
    with pytest.raises(InputError, match=r"'xslx'.*did you mean 'xlsx'"):
        write_report(run_folder, tmp_path, (), formats=("xslx",))


def test_a_workbook_holds_every_table_as_numbers_and_texts(hostile, tmp_path):
    report = write_report(hostile, tmp_path, formats=("xlsx", "parquet"), charts=())
    book = openpyxl.load_workbook(report.files["xlsx"])
    assert set(book.sheetnames) == {"report", *(path.stem for path in report.tables)}
    for path in report.tables:
        sheet, frame = book[path.stem], pl.read_parquet(path)
        assert (sheet.max_row, sheet.max_column) == (len(frame) + 1, max(1, frame.width))
        for cell in (cell for row in sheet.iter_rows() for cell in row):
            assert cell.data_type != "f", cell.value
            assert cell.hyperlink is None
    assert book["summary"]["B2"].value == HOSTILE[0]
    assert book["summary"]["E2"].value == tables.summary(Run.read(hostile))["blocks"][0]
    assert (tmp_path / "report.xlsx").read_bytes() == (
        write_report(hostile, tmp_path / "again", (), formats=("xlsx",)).files["xlsx"].read_bytes()
    )


def test_csv_says_that_it_is_utf_8(run_folder, tmp_path):
    report = write_report(run_folder, tmp_path, (), formats=("csv",))
    assert all(path.read_bytes().startswith(b"\xef\xbb\xbf") for path in report.tables)


def test_a_page_that_would_be_too_large_says_what_it_leaves_out(run_folder, tmp_path, monkeypatch):
    names = ("win_share", "seats", "lengths")
    whole = write_report(run_folder, tmp_path, names, formats=("html",)).html
    monkeypatch.setattr(html, "MOST_BYTES", whole.stat().st_size - 1000)
    small = write_report(run_folder, tmp_path, names, formats=("html",)).html
    text = small.read_text()
    assert small.stat().st_size < html.MOST_BYTES
    assert text.count("<img") == 2
    assert "see the folder charts: Length of games." in text


def test_what_a_report_reads_does_not_grow_with_the_games(tmp_path):
    sizes = []
    for deals in (200, 20_000):
        folder = make_run(tmp_path / str(deals), deals=deals, chunks=1)
        sizes.append(sum(path.stat().st_size for path in folder.rglob("*.json")))
    assert sizes[1] < 2 * sizes[0]


# --- one strategy ---


def test_the_report_of_a_strategy(run_folder, tmp_path):
    report = write_strategy(run_folder, tmp_path, "miser")
    assert report.html.name == "strategy-miser-ask-2.html"
    text = report.html.read_text()
    for heading in (
        "Against each opponent",
        "Coins by kind",
        "What it gives and gets",
        "Second cards planted",
    ):
        assert heading in text
    data = json.loads(report.summary.read_text())
    run = Run.read(run_folder)
    found = estimate(run.tally(0), "win_share", strategy("miser:ask=2"))
    assert data["tables"]["results"][0]["win_share"] == pytest.approx(found.mean)
    assert f"wins {100 * found.mean:.1f} %" in data["verdict"][0]


def test_the_coins_of_a_strategy_add_up(run_folder):
    run = Run.read(run_folder)
    frames = strategy_frames(run, "trader")
    for name in ("harvests", "reasons"):
        shares = frames[name].group_by("arm").agg(pl.col("coins_share").sum())["coins_share"]
        assert shares.to_list() == pytest.approx([1, 1])
    by_kind, by_reason = (frames[name]["coins"].sum() for name in ("harvests", "reasons"))
    assert by_kind == by_reason > 0
    assert set(frames["opponents"]["opponent"]) == {"miser:ask=2", "hermit"}


@pytest.mark.parametrize(
    ("names", "asked", "match"),
    [
        (LINEUP, "trade", "did you mean 'trader'"),
        (("a:x=1", "a:x=2", "b", "b"), "a", "several strategies 'a'.*'a:x=1', 'a:x=2'"),
    ],
)
def test_a_strategy_that_is_not_clear_is_refused(tmp_path, names, asked, match):
    run = Run.read(make_run(tmp_path / "run", [("base", "base", names, WORLD)], deals=10, chunks=1))
    with pytest.raises(InputError, match=match):
        find_strategy(run, asked)


def test_hostile_strategies_have_their_reports(hostile, tmp_path):
    for name in HOSTILE:
        path = write_strategy(hostile, tmp_path, name, formats=("md",)).markdown
        assert path.parent == tmp_path
        assert len(path.name) < 100
        assert "<" not in path.read_text()
    text = write_strategy(hostile, tmp_path, HOSTILE[1], formats=("html",)).html.read_text()
    assert text.count("<script") == 1
    assert "<b>" not in text
    assert "\u202e" not in text


# --- two runs ---


def test_two_runs_of_other_deals_are_independent(run_folder, tmp_path):
    arms = [
        (name, variant, lineup, World(strategy={"trader": 4}, luck=4)) for name, variant, lineup, _ in ARMS
    ]
    other = make_run(tmp_path / "other", arms, deals=1000, seed=12)
    pair = Pair.of(Run.read(run_folder), Run.read(other))
    assert not pair.same_deals
    row = _row_of(comparison_frames(pair)["comparison"], "coins", "trader")
    ends = [estimate(run.tally(0), "coins", strategy("trader")) for run in pair.runs]
    assert row["difference"] == pytest.approx(ends[0].mean - ends[1].mean)
    error = math.hypot(ends[0].error, ends[1].error)
    assert row["difference_high"] - row["difference"] == pytest.approx(1.96 * error, rel=0.01)
    assert row["paired"] == "independent"
    said = write_comparison(run_folder, other, tmp_path / "out", formats=("md", "json")).data
    assert "trader" in said["verdict"][0]
    assert "coins fewer" in said["verdict"][0]


def _row_of(frame, metric, of):
    return frame.filter((pl.col("metric") == metric) & (pl.col("of") == of)).row(0, named=True)


def test_the_interval_of_welch_covers_as_it_should():
    first = [estimate_of(mean, 0.3, 40) for mean in (1.0, 1.5)]
    found = independent(*first)
    # scipy.stats.ttest_ind_from_stats with equal_var=False: 78 degrees of freedom.
    assert (found.low, found.high) == pytest.approx(
        (-0.5 - 1.9908 * 0.4243, -0.5 + 1.9908 * 0.4243), abs=1e-3
    )


def estimate_of(mean, error, blocks):
    from beansim.analysis.intervals import Estimate

    return Estimate(mean, mean, mean, error, error, blocks, blocks, "t")


def test_a_run_does_not_differ_from_itself(run_folder, tmp_path):
    report = write_comparison(run_folder, run_folder, tmp_path, formats=("json", "html"))
    assert all("no difference" in sentence for sentence in report.data["verdict"])
    assert any("count as independent" in warning for warning in report.data["alerts"])
    rows = report.data["tables"]["comparison"]
    assert {row["difference"] for row in rows} == {0.0}


def test_runs_without_a_common_arm_are_refused(run_folder, tmp_path):
    arms = [(name, "base", LINEUP, WORLD) for name in ("one", "two")]
    other = make_run(tmp_path / "other", arms, deals=10, chunks=1)
    with pytest.raises(
        InputError, match="no arm in common: the first has base; two-pass, the second one; two"
    ):
        write_comparison(run_folder, other, tmp_path / "out")


def test_arms_of_one_run_alone_are_named(run_folder, tmp_path):
    other = make_run(tmp_path / "other", ARMS[:1], deals=50, chunks=1)
    alerts = write_comparison(run_folder, other, tmp_path / "out", formats=("json",)).data["alerts"]
    assert "Arms without a counterpart are left out: A alone has two-pass." in alerts


# --- damage ---


@pytest.mark.parametrize("content", ["{half", "[]", '{"format": 7}', '{"format": 1, "arms": []}'])
def test_damaged_watched_games_are_left_out_and_said(tmp_path, content):
    folder = make_run(tmp_path / "run", deals=20, chunks=1)
    (folder / "watched.json").write_text(content)
    report = write_report(folder, tmp_path / "out", (), formats=("json", "html"))
    assert "watched.json cannot be used" in " ".join(report.data["alerts"])
    assert report.data["complete"] is False


def test_a_run_without_watched_games_has_a_report(tmp_path):
    folder = make_run(tmp_path / "run", deals=20, chunks=1)
    (folder / "watched.json").unlink()
    report = write_report(folder, tmp_path / "out", ("partners", "coins_by_turn", "win_share"))
    assert {path.stem for path in report.charts} == {"win_share"}
    assert "Who trades with whom" not in report.html.read_text()
    assert write_strategy(folder, tmp_path / "out", "trader", formats=("html",)).html.exists()


# --- the command ---


def test_the_command(run_folder, tmp_path, capsys):
    out = tmp_path / "out"
    words = ["report", str(run_folder), "--out", str(out)]
    assert run_main([*words, "--format", "json, csv", "--quiet"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    assert "\x1b" not in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    assert run_main([*words, "--strategy", "trader", "--format", "md"]) == 0
    assert "strategy-trader.md" in capsys.readouterr().err
    assert run_main([*words, "--compare", str(run_folder), "--format", "md"]) == 0
    assert "comparison.md" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["--format", "pdf"], "unknown format 'pdf'"),
        (["--format", ","], "at least one of"),
        (["--strategy", "trader", "--bootstrap"], "do not go together"),
        (["--compare", "nowhere"], "does not exist"),
    ],
)
def test_wrong_use_is_said(run_folder, capsys, words, match):
    assert run_main(["report", str(run_folder), *words]) == 2
    assert match in capsys.readouterr().err
