"""beansim from Python."""

from __future__ import annotations

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
    with pytest.raises(InputError, match="players are none"):
        beansim.simulate()
    with pytest.raises(InputError, match="unknown variant"):
        beansim.simulate(variant="bas", players="hermit,hermit,hermit")
