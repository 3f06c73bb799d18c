"""beansim from Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import beansim
from beansim.errors import InputError


@pytest.fixture(scope="module")
def result() -> beansim.Result:
    return beansim.simulate(players="hermit,hermit,hermit", deals=30, seed=4)


def test_tables_hold_every_game(result: beansim.Result) -> None:
    assert (len(result.games), len(result.seats), len(result.blocks)) == (30, 90, 30)
    assert set(result.seats["strategy"]) == {"hermit"}
    assert result.seats["win_units"].sum() == 30 * 420
    assert result.harvests["count"].sum() == result.seats["harvests"].sum()
    assert result.trades.is_empty()


def test_coins_of_the_harvests_are_the_coins_of_the_seats(result: beansim.Result) -> None:
    earned = (result.harvests["coins"] * result.harvests["count"]).sum()
    assert earned == result.seats["coins"].sum()


def test_summary_and_pandas(result: beansim.Result) -> None:
    assert result.summary()["strategy"].to_list() == ["hermit"]
    assert len(result.to_pandas()) == 90
    assert len(result.to_pandas("games")) == 30


def test_charts_are_figures(result: beansim.Result) -> None:
    from matplotlib.figure import Figure

    assert isinstance(result.plot.win_share(), Figure)
    assert "run_outs" in dir(result.plot)
    with pytest.raises(AttributeError, match="win_share"):
        result.plot.win_shares()


def test_a_run_is_kept_where_it_is_asked_to_be(tmp_path: Path) -> None:
    beansim.simulate("two-pass", players=["hermit"] * 4, deals=5, out=tmp_path / "kept", keep="summary")
    again = beansim.open_run(tmp_path / "kept")
    assert again.run.deals == 5
    with pytest.raises(InputError, match="tallies alone"):
        again.games  # noqa: B018


def test_a_temporary_run_goes_with_its_result() -> None:
    result = beansim.simulate(players=["hermit"] * 3, deals=2)
    folder = result.folder
    assert folder.exists()
    del result
    assert not folder.exists()


def test_wrong_use_says_what() -> None:
    with pytest.raises(InputError, match="nothing to play"):
        beansim.simulate()
    with pytest.raises(InputError, match="unknown variant"):
        beansim.simulate(variant="bas", players="hermit,hermit,hermit")


@pytest.fixture(scope="module")
def two_arms() -> beansim.Result:
    return beansim.simulate("two-pass", players="hermit,random,hermit,trader", deals=25)


def test_blocks_are_what_the_tallies_counted(two_arms: beansim.Result) -> None:
    """The whole way round: rows on disk summed by polars, and the exact tallies of the workers."""
    from beansim.analysis.estimates import strategy, sums_of
    from beansim.analysis.frames import block_values
    from beansim.analysis.metrics import SEAT

    for metric in SEAT:
        for arm in (0, 1):
            for label in ("hermit", "random", "trader"):
                sums = sums_of(two_arms.run.tally(arm), metric, strategy(label))
                values = block_values(two_arms.blocks, metric, arm, label)["value"]
                assert values.mean() == pytest.approx(sums.mean)
                assert values.std() / 5 == pytest.approx(sums.error)


def test_bootstrap_stands_beside_the_usual_intervals(two_arms: beansim.Result) -> None:
    from beansim.report.bootstrap import bootstrap

    table = bootstrap(two_arms.run)
    assert len(table) == 2 * 3 * 4 + 3 * 4
    assert table.filter(table["minus"] == "").height == 24
    for row in table.iter_rows(named=True):
        half = (row["found_high"] - row["found_low"]) / 2
        assert row["bca_low"] == pytest.approx(row["found_low"], abs=half)
        assert row["bca_high"] == pytest.approx(row["found_high"], abs=half)


def test_statsmodels_gives_the_same_on_the_same_block_values(two_arms: beansim.Result) -> None:
    from statsmodels.stats.multitest import multipletests
    from statsmodels.stats.proportion import proportion_confint
    from statsmodels.stats.weightstats import DescrStatsW

    from beansim.analysis.comparisons import compare
    from beansim.analysis.estimates import estimate, strategy
    from beansim.analysis.frames import block_values
    from beansim.analysis.intervals import wilson

    values = block_values(two_arms.blocks, "coins", 0, "trader")["value"].to_numpy()
    found = estimate(two_arms.run.tally(0), "coins", strategy("trader"))
    assert (found.low, found.high) == pytest.approx(DescrStatsW(values).tconfint_mean())
    groups = [strategy(label) for label in ("hermit", "random", "trader")]
    all_of = compare(two_arms.run.tallies, "coins", groups, [(1, 0)])
    expected = multipletests([one.p for one in all_of], method="holm")[1]
    assert [one.adjusted for one in all_of] == pytest.approx(list(expected))
    assert wilson(7 / 40, 40, 1.959963984540054) == pytest.approx(
        proportion_confint(7, 40, method="wilson"), rel=1e-6
    )


def test_matches_and_tournaments_from_python() -> None:
    found = beansim.match("trader", "hermit", players=3)
    assert found.answer == "better"
    assert found.interval[0] < found.sums.mean < found.interval[1]
    with pytest.raises(InputError, match="one strategy"):
        beansim.match("hermit", "hermit")
    tables = beansim.tournament(["hermit", "trader"], players=3, deals=5)
    assert tables["standings"]["strategy"].to_list() == ["trader", "hermit"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: beansim.simulate(3), "experiment is 3, expected a path"),
        (lambda: beansim.open_run(3), "folder is 3, expected a path"),
        (beansim.simulate, "nothing to play"),
        (lambda: beansim.simulate(players=["trader", 3]), "one of players is 3, expected a text"),
        (lambda: beansim.simulate(players=["trader"] * 3, variant=3), "variant is 3, expected a text"),
        (lambda: beansim.simulate(players=["trader"] * 3, jobs=0), "jobs is 0, expected a whole number"),
        (lambda: beansim.simulate(players=["trader"] * 3, jobs="2"), "jobs is '2', expected"),
        (lambda: beansim.simulate(players=["trader"] * 3, time_limit=float("nan")), "time_limit is nan"),
        (lambda: beansim.match("trader", None), "right is None, expected a text"),
        (lambda: beansim.match("trader", "miser", margin="x"), "margin is 'x', expected a number"),
        (lambda: beansim.tournament("trader"), "strategies is 'trader', expected a list of texts"),
    ],
)
def test_wrong_types_are_input_errors(call: Callable[[], object], said: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert said in str(caught.value)
