"""The verdict in plain words, and what a reader must be warned of; all from numbers and intervals."""

from __future__ import annotations

from collections.abc import Iterator

from beansim.analysis.comparisons import between, relative
from beansim.analysis.estimates import difference, estimate, game_estimate, seat, strategy
from beansim.analysis.intervals import FEW_BLOCKS, Estimate
from beansim.analysis.run import Run
from beansim.reading import parse_json
from beansim.report import tables
from beansim.report.names import in_sentence, plain
from beansim.report.numbers import count, counted, number, percent, plus_minus
from beansim.simulate.tallies import Tally, common_keys

MOST_NAMES = 5
"""Strategies that one sentence names."""

MOST_ERRORS = 3
"""Errors that are told in full."""

MOST_ARMS = 4
"""Arms of which the verdict speaks; the tables hold them all."""


def verdict(run: Run) -> list[str]:
    """Sentences that answer the question, most important first.

    Each number stands with half its 95 % interval, or with the interval. What the data do not
    settle is said to be open.
    """
    said: list[str] = []
    for arm in range(1, min(len(run.arms), MOST_ARMS)):
        said += _arm_against_first(run, arm)
    for arm in range(min(len(run.arms), MOST_ARMS)):
        said += _strategies(run, arm)
        said += _seats(run, arm)
    if len(run.arms) > MOST_ARMS:
        said.append(f"The tables below hold all {len(run.arms)} arms.")
    return said


def _arm_against_first(run: Run, arm: int) -> Iterator[str]:
    """Length, coins and start seat of an arm against the first one."""
    if run.arms[arm].rules == run.arms[0].rules:
        yield from _entries_against_first(run, arm)
        return
    share = relative(run.tallies, arm, 0, "turns")
    turns = [game_estimate(run.tally(place), "turns") for place in (arm, 0)]
    here, there = in_sentence(run.arms[arm].name), in_sentence(run.arms[0].name)
    lengths = f"{number(turns[0].mean, 1)} turns against {number(turns[1].mean, 1)}"
    if share.method == "none":
        return
    if share.clear or (share.method == "constant" and share.mean):
        way = "shorter" if share.mean < 0 else "longer"
        yield f"Games of {here} are {_percent_of(share)} {way} than those of {there} ({lengths})."
    else:
        yield f"Games of {here} are about as long as those of {there} ({lengths})."
    yield from _coins_against_first(run, arm)
    yield from _start_seat_against_first(run, arm)


def _percent_of(share: Estimate) -> str:
    return f"{plus_minus(100 * share.mean, 100 * share.half_width)} %"


def _coins_against_first(run: Run, arm: int) -> Iterator[str]:
    said = []
    for label in run.tally(arm).layout.strategies[:MOST_NAMES]:
        if ("coins", strategy(label)) not in common_keys(run.tally(0).layout, run.tally(arm).layout):
            continue
        found = between(run.tallies, arm, 0, "coins", strategy(label))
        if found.clear:
            way = "fewer" if found.mean < 0 else "more"
            said.append(f"{plain(label)} {plus_minus(found.mean, found.half_width)} {way}")
    if said:
        yield f"Coins at the end of a game there: {', '.join(said)}."


def _start_seat_against_first(run: Run, arm: int) -> Iterator[str]:
    if run.tally(arm).layout.players != run.tally(0).layout.players:
        return
    found = between(run.tallies, arm, 0, "win_share", seat(0))
    if found.method == "none":
        return
    amount = plus_minus(100 * found.mean, 100 * found.half_width)
    if found.clear:
        way = "more" if found.mean > 0 else "fewer"
        yield f"The start seat wins {amount} games in 100 {way} than in {in_sentence(run.arms[0].name)}."
    else:
        yield (
            f"Whether the start seat gains or loses by it is open "
            f"(a difference of {number(100 * found.low, 1)} to {number(100 * found.high, 1)} wins in 100)."
        )


def _entries_against_first(run: Run, arm: int) -> Iterator[str]:
    """What each strategy gains where only the line-up differs: for strategies that both arms have."""
    here, there = in_sentence(run.arms[arm].name), in_sentence(run.arms[0].name)
    layouts = [run.tally(place).layout for place in (0, arm)]
    if min(len(layout.strategies) for layout in layouts) < 2:
        return
    for label in layouts[1].strategies[:MOST_NAMES]:
        if label not in layouts[0].strategies:
            continue
        found = between(run.tallies, arm, 0, "win_share", strategy(label))
        if found.clear:
            way = "more" if found.mean > 0 else "fewer"
            amount = plus_minus(100 * found.mean, 100 * found.half_width)
            yield f"In {here}, {plain(label)} wins {amount} games in 100 {way} than in {there}."


def _strategies(run: Run, arm: int) -> Iterator[str]:
    """Who wins most in an arm, and by how much before the next one."""
    tally, name = run.tally(arm), in_sentence(run.arms[arm].name)
    if len(tally.layout.strategies) < 2:
        return
    ranked = sorted(
        tally.layout.strategies, key=lambda label: -estimate(tally, "win_share", strategy(label)).mean
    )
    best, second = ranked[:2]
    found = estimate(tally, "win_share", strategy(best))
    if found.method == "none":
        return
    reach = f"{number(100 * found.low, 1)} to {number(100 * found.high, 1)}"
    even = percent(1 / tally.layout.players, 0)
    yield (
        f"In {name}, {plain(best)} wins most: {percent(found.mean)} of its games "
        f"({reach}; even would be {even}), {_lead(tally, best, second)}."
    )


def _lead(tally: Tally, best: str, second: str) -> str:
    lead = difference(tally, "win_share", strategy(best), strategy(second))
    amount = plus_minus(100 * lead.mean, 100 * lead.half_width)
    if lead.clear:
        return f"{amount} in 100 more than {plain(second)}, the next"
    return f"but its lead over {plain(second)} ({amount} in 100) is not settled"


def _seats(run: Run, arm: int) -> Iterator[str]:
    """The largest seat effect of an arm, or how large one could be."""
    tally, name = run.tally(arm), in_sentence(run.arms[arm].name)
    players = tally.layout.players
    found = [(place, estimate(tally, "win_share", seat(place))) for place in range(players)]
    if any(one.method == "none" for _, one in found):
        return
    if all(one.method == "constant" for _, one in found):
        shares = ", ".join(f"seat {place} {percent(one.mean)}" for place, one in found)
        yield f"In {name} every block gives each seat the same share: {shares}."
        return
    place, most = max(found, key=lambda one: abs(one[1].mean - 1 / players))
    gain, half = 100 * (most.mean - 1 / players), 100 * most.half_width
    # The largest of several effects is looked at, so the bar is higher than for one alone.
    if abs(gain) > half * _stricter(players):
        way = "more" if gain > 0 else "fewer"
        where = "the start seat" if place == 0 else f"seat {place}"
        yield f"In {name}, {where} wins {plus_minus(gain, half)} games in 100 {way} than an even share."
    else:
        widest = max(abs(bound - 1 / players) for _, one in found for bound in (one.low, one.high))
        yield f"In {name} no seat effect is settled; none is larger than {number(100 * widest, 1)} in 100."


def _stricter(comparisons: int) -> float:
    """Bonferroni: how much wider an interval must be to hold for several estimates at once."""
    from scipy.special import ndtri

    return float(ndtri(1 - 0.025 / comparisons) / ndtri(0.975))


def alerts(run: Run) -> list[str]:
    """What a reader must know before trusting the numbers; empty when all is well."""
    said = list(run.problems)
    for arm, (name, tally) in zip(run.arms, tables.named(run), strict=True):
        said += _errors(plain(name), tally)
        said += _warnings(plain(name), tally)
        if arm.seating_mode == "fixed" and len(tally.layout.strategies) > 1:
            said.append(f"{plain(name)}: the seats are fixed, so strategies and seats cannot be told apart.")
    return said + _first_errors(run)


def _first_errors(run: Run) -> list[str]:
    """The first errors in full, as the run wrote them down (errors.json)."""
    try:
        stored = parse_json((run.folder / "errors.json").read_text(encoding="utf-8")) if run.folder else {}
        return [f"Error: {plain(str(error['message']))}" for error in stored.get("first", [])[:MOST_ERRORS]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return []


def _errors(name: str, tally: Tally) -> Iterator[str]:
    by_entry: dict[int, int] = {}
    for (_, entry, _), games in tally.errors.items():
        by_entry[entry] = by_entry.get(entry, 0) + games
    for entry, games in by_entry.items():
        who = plain(tally.layout.labels[entry]) if entry >= 0 else "nobody in particular"
        yield (
            f"{name}: {count(games)} of {count(tally.games)} games ended with an error of {who}; "
            f"{count(tally.excluded)} of {count(tally.deals)} deals are left out of every estimate."
        )


def _warnings(name: str, tally: Tally) -> Iterator[str]:
    games = tally.blocks * len(tally.layout.seatings)
    capped = int(tally.arrays["caps"][0])
    if capped:
        yield f"{name}: a market cap bit in {count(capped)} games ({percent(capped / games, 2)})."
    if tally.blocks < FEW_BLOCKS:
        yield f"{name}: only {counted(tally.blocks, 'block')}; its intervals are rough."
    shared = int(tally.arrays["shared_wins"][0])
    if shared:
        yield f"{name}: {count(shared)} games ({percent(shared / games, 2)}) ended in a shared win."
