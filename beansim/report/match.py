"""A match in words: the live line, the verdict, and a block of lines to paste."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from beansim import __version__
from beansim.analysis.intervals import LEVEL, Sums, t_interval, worth_of_blocks
from beansim.analysis.match import MatchPlan, MatchState
from beansim.report.names import plain
from beansim.report.numbers import count, counted, digits_for, interval, number, percent, signed

VERDICT_WIDTH = 12


def live_line(state: MatchState, games: int) -> str:
    """What is known so far, in one line; `games` also counts those played since the last look."""
    low, high = state.interval
    known = interval(state.sums.mean, low, high, share=True, sign=True)
    towards = "better" if state.llr_share >= 0 else "not better"
    line = f"{count(games)} games, {known}, LLR {percent(abs(state.llr_share), 0)} of the bound for {towards}"
    if not math.isfinite(state.games_left) or state.answer != "undecided":
        return line
    return f"{line}, ~{count(_rounded(state.games_left))} games left"


def _rounded(games: float) -> int:
    """Two digits of a guess are enough."""
    scale = 10 ** max(0, math.floor(math.log10(max(games, 1))) - 1)
    return int(-(-games // scale) * scale)


def verdict(state: MatchState) -> str:
    """The answer in one sentence."""
    left, right = names(state)
    low, high = state.interval
    size = f"{number(100 * abs(state.sums.mean), _digits(low, high))} wins in 100"
    least = 100 * state.plan.test.margin
    margin = f"{least:g} {'win' if least == 1 else 'wins'} in 100"
    if state.answer == "better":
        return f"{left} is better than {right}, by about {size} a seat."
    if state.answer == "undecided":
        deals = count(state.tally.deals)
        return f"Not settled whether {left} is better than {right}: {deals} deals were not enough."
    if not state.sums.spread and not state.sums.total:
        return f"{left} is not better than {right}: every deal was exactly even."
    if high < 0:
        return f"{left} is not better than {right}: {right} is better, by about {size} a seat."
    return f"{left} is not better than {right} by {margin} a seat or more."


def names(state: MatchState) -> tuple[str, str]:
    """A and B as tables call them."""
    left, right = state.tally.lineups.strategies
    return plain(left), plain(right)


def _digits(low: float, high: float) -> int:
    return digits_for(50 * (high - low)) if high > low else 2


def match_lines(state: MatchState, command: str) -> Iterator[str]:
    """The block of lines to paste: always the same lines in the same order."""
    left, right = names(state)
    rows = [
        ("match", f"{left} against {right}, {plain(state.plan.variant)}, {state.plan.players} players"),
        ("verdict", verdict(state)),
        ("difference", _difference(state)),
        ("test", _test(state)),
        ("played", _played(state)),
        ("blocks", _blocks(state)),
        ("line-ups", "; ".join(_mixtures(state, left, right))),
        ("repeat", f"{command} (beansim {__version__})"),
    ]
    for name, text in rows:
        yield f"{name:<{VERDICT_WIDTH}}{text}"


def _difference(state: MatchState) -> str:
    low, high = state.interval
    if not state.sums.spread:
        return f"{signed(100 * state.sums.mean)} wins in 100 a seat, exact: the same in every block"
    if not math.isfinite(low):
        return (
            f"{signed(100 * state.sums.mean)} wins in 100 a seat; thin: {counted(state.sums.blocks, 'block')}"
        )
    digits = _digits(low, high)
    mean, least, most = (signed(100 * value, digits) for value in (state.sums.mean, low, high))
    return f"{mean} wins in 100 a seat ({least} to {most}, {percent(LEVEL, 0)} whenever one stops)"


def _test(state: MatchState) -> str:
    test, (low, high) = state.plan.test, state.plan.test.bounds
    llr = test.llr(state.sums)
    return (
        f"GSPRT of 0 against {100 * test.margin:g} in 100, alpha {test.alpha:g}, beta {test.beta:g}: "
        f"LLR {number(llr)} of ({number(low)}, {number(high)}), {percent(abs(state.llr_share), 0)}"
    )


def _played(state: MatchState) -> str:
    tally, plan = state.tally, state.plan
    said = f"{count(tally.games)} games: {count(tally.deals)} of at most {count(plan.max_deals)} deals"
    left_out = f", {count(tally.excluded)} deals left out for errors" if tally.excluded else ""
    return f"{said}, {int(tally.lineups.games.sum())} games each, seed {plan.seed}{left_out}"


def _blocks(state: MatchState) -> str:
    block, single = state.sums.error, state.single_sums.error
    gain = worth_of_blocks(block, single)
    errors = f"standard error {100 * block:.2g} in 100, if games were independent {100 * single:.2g}"
    return errors if math.isnan(gain) else f"{errors}: as good as {gain:.2f} times as many independent games"


def _mixtures(state: MatchState, left: str, right: str) -> Iterator[str]:
    """How A does as one of few and one of many; ordinary intervals, for a look only."""
    for copies, sums in state.mixtures():
        yield f"{copies} {left}, {state.plan.players - copies} {right}: {_lead(sums)}"


def _lead(sums: Sums) -> str:
    low, high, _ = t_interval(sums)
    return interval(sums.mean, low, high, share=True, sign=True)


def same_lines(plan: MatchPlan, command: str) -> Sequence[str]:
    """What is said of a strategy against itself: nothing needs to be played."""
    left, right = plain(plan.left), plain(plan.right)
    said = f"{left} and {right} are one strategy: every deal is exactly even by symmetry."
    rows = [
        ("match", f"{left} against {right}, {plain(plan.variant)}, {plan.players} players"),
        ("verdict", said),
        ("repeat", command),
    ]
    return [f"{name:<{VERDICT_WIDTH}}{text}" for name, text in rows]
