"""`beansim run --audit`: a share of the games, fixed by the seed, goes to the referee."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from beansim.checking import audit as auditing
from beansim.checking.audit import audit, choose_deals, read_share
from beansim.checking.tables import rules_of, table_of
from beansim.cli.main import run_main
from beansim.errors import InputError
from beansim.referee import Departure, Verdict


@pytest.mark.parametrize(("text", "share"), [("0.1%", 0.001), ("100%", 1.0), ("0.25", 0.25), (" 5 % ", 0.05)])
def test_shares_are_read_as_people_write_them(text: str, share: float) -> None:
    assert read_share(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["0", "-1%", "101%", "1.5", "x", "1%%", "", "nan", "inf", "5% of all"])
def test_other_shares_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="no share of the games"):
        read_share(text)


def test_the_choice_is_fixed_by_the_seed_and_each_game_is_drawn_once() -> None:
    drawn = choose_deals(7, 1000, 6, 0.05)
    assert drawn == choose_deals(7, 1000, 6, 0.05)
    assert drawn != choose_deals(8, 1000, 6, 0.05)
    assert len(set(drawn)) == len(drawn) == 300
    assert all(0 <= deal < 1000 and 0 <= place < 6 for deal, place in drawn)
    assert drawn == sorted(drawn)


def test_all_games_are_drawn_where_the_share_is_whole_and_one_at_least() -> None:
    assert choose_deals(7, 10, 2, 1.0) == [(deal, place) for deal in range(10) for place in range(2)]
    assert len(choose_deals(7, 10, 2, 1e-9)) == 1


def test_the_draw_is_even() -> None:
    """Each of ten games is drawn about equally often over many seeds."""
    counts = [0] * 10
    for seed in range(2000):
        for deal, place in choose_deals(seed, 5, 2, 0.3):
            counts[2 * deal + place] += 1
    assert sum(counts) == 6000
    assert all(abs(count - 600) < 5 * (2000 * 0.3 * 0.7) ** 0.5 for count in counts)


def test_an_audit_counts_games_that_hold() -> None:
    arms = [
        table_of(rules_of(variant, 3), ("trader", "random", "miser"), rotate=True)
        for variant in ("base", "two-pass")
    ]
    found = audit(arms, 4, 20, 0.1)
    assert (found.games, found.chosen, found.held, found.failed) == (120, 12, 12, 0)
    assert found.passed
    assert str(found) == "audit: 12 of 120 games replayed in the referee, 12 hold"


def test_games_that_do_not_hold_fail_the_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    def accuse(events: object, name: str = "") -> Verdict:
        return Verdict("x", 1, 0, Departure(3, "draw", "RULES 1.2", "nothing of the kind"))

    monkeypatch.setattr("beansim.checking.differential.replay_events", accuse)
    found = auditing.audit([table_of(rules_of("base", 3), ("hermit",) * 3)], 4, 20, 0.5)
    assert not found.passed
    assert len(found.departures) == 5
    assert str(found).endswith("0 hold, 10 DO NOT")
    assert "seed 4, deal" in str(found.departures[0])


def test_run_reports_its_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("beansim.cli.summary.report_and_print", lambda *args, **ways: None)
    words = ["run", "two-pass", "--deals", "8", "--players", "trader,random,hermit", "--quiet", "--jobs", "1"]
    assert run_main([*words, "--audit", "25%", "--keep", "summary"]) == 0
    assert "audit: 12 of 48 games replayed in the referee, 12 hold" in capsys.readouterr().out
    kept = json.loads(next(tmp_path.glob("reports/*/audit.json")).read_text())
    assert (kept["chosen"], kept["held"], kept["departures"]) == (12, 12, [])
    assert run_main([*words, "--audit", "0"]) == 2
    assert "no share of the games" in capsys.readouterr().err
