"""Playing a range of deals of one arm: the Python side of the compiled engine."""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from beansim.engine import kernel
from beansim.engine.ahead import engine_ahead
from beansim.engine.duel import duel_turn
from beansim.engine.events import LOG_COLUMNS
from beansim.engine.record import read_log, write_record
from beansim.engine.state import (
    EMPTY,
    FOREIGN,
    GAMES_DTYPE,
    NO_FIELD,
    SEATS_DTYPE,
    SILENT,
    TALLY_DTYPE,
    WATCH_COINED,
    WATCH_FIELDS,
    WATCH_HAND,
    WATCH_STEPS,
    WATCH_TABLE,
    new_blocks,
)
from beansim.engine.status import LOG_FULL, RAISED
from beansim.engine.turn import standard_turn
from beansim.errors import InputError
from beansim.rules import MAX_KINDS, Rules
from beansim.strategy.base import DUEL_HOOKS, HOOKS, MARKET_HOOKS, StrategyMeta
from beansim.strategy.cache import compile_kept, engine_hash, is_kept
from beansim.strategy.compiled import hook_address, is_warm
from beansim.strategy.compiling import natural_indices
from beansim.strategy.interpreted import Interpreted, TableView
from beansim.strategy.load import Entrant
from beansim.strategy.reach import is_native, is_silent
from beansim.strategy.records import CARD_COUNTS, SEAT_DTYPE, TABLE_DTYPE

MAX_SEED = 2**63 - 1
MAX_DEAL = 2**40
_LOG_ROWS = 4096
_WATCH_BITS = {
    "fields": WATCH_FIELDS,
    "hand": WATCH_HAND,
    "steps": WATCH_STEPS,
    "coined": WATCH_COINED,
    "table": WATCH_TABLE,
}


@dataclass(frozen=True, slots=True)
class Arm:
    """What is compared: a rule set with a line-up and its seatings.

    Attributes:
        name: for tables and charts.
        rules: every rule option.
        lineup: the strategies at the table, one entry per seat.
        seatings: `seatings[i][seat]` is the entry of the line-up that sits there in seating i.
        number: position of the arm in its experiment; copied into the rows.
    """

    name: str
    rules: Rules
    lineup: tuple[Entrant, ...]
    seatings: tuple[tuple[int, ...], ...]
    number: int = 0

    def __post_init__(self) -> None:
        players = self.rules.players
        if len(self.lineup) != players:
            raise InputError(
                f"arm {self.name!r}: {len(self.lineup)} strategies for the {players} seats "
                f"of {self.rules.variant!r}"
            )
        if not self.seatings:
            raise InputError(f"arm {self.name!r}: no seating")
        for seating in self.seatings:
            if sorted(seating) != list(range(players)):
                raise InputError(f"arm {self.name!r}: {seating} seats not every entry of the line-up once")

    @property
    def compiled(self) -> bool:
        """True when every strategy is compiled, so that batches can share a process."""
        return all(entrant.compiled for entrant in self.lineup)


@dataclass(slots=True)
class Batch:
    """What a range of deals gave (docs/architecture.md).

    Attributes:
        arm: the arm played.
        seed: the seed.
        games: GAMES_DTYPE, one row per game.
        seats: SEATS_DTYPE, one row per game and seat.
        harvests: int64 [entries, kinds, cards 0 to 99, why].
        trades: int64 [kinds + 1, kinds + 1].
        decisions: hook calls.
        errors: exceptions of interpreted strategies, by row of `games`.
        logs: event rows by row of `games`; empty unless logged.
    """

    arm: Arm
    seed: int
    games: np.ndarray[Any, Any]
    seats: np.ndarray[Any, Any]
    harvests: np.ndarray[Any, Any]
    trades: np.ndarray[Any, Any]
    decisions: int
    errors: dict[int, BaseException]
    logs: list[np.ndarray[Any, Any]]

    def records(self, index: int) -> list[dict[str, Any]]:
        """The events of the game in row `index` (RECORD.md); the batch must have been logged."""
        if not self.logs:
            raise InputError("this batch was played without log=True, so it has no records")
        game = self.games[index]
        rows = self.seats[index * len(self.arm.lineup) : (index + 1) * len(self.arm.lineup)]
        seating = self.arm.seatings[int(game["seating"])]
        labels = [self.arm.lineup[entry].label for entry in seating]
        return write_record(self.arm.rules, labels, self.seed, game, rows, read_log(self.logs[index]))


@functools.cache
def kernel_function(turn: str = "standard") -> Any:
    """The engine for one kind of turn, compiled once in a process or loaded from the cache."""
    take_turn = _TURNS[turn]
    if numba.config.DISABLE_JIT:
        return functools.partial(kernel.play_range, take_turn)
    names = {"play_range": kernel.play_range, "take_turn": take_turn}
    with natural_indices():
        return compile_kept(_ROOTS[turn], engine_hash(), _ENTRY, names, kernel.KERNEL_SIGNATURE)


_TURNS = {"standard": standard_turn, "duel": duel_turn}
_ROOTS = {"standard": "engine", "duel": "engine-duel"}
"""Names under which the machine code of each root is kept."""
_NOT_ASKED = {"standard": DUEL_HOOKS, "duel": MARKET_HOOKS}
"""Hooks that no turn of a kind asks: they need not be compiled."""
_ENTRY = """
def entry(block, table, seats, hooks, watch, calls, seatings, arm, seed, deal, deals, games, rows):
    return play_range(
        take_turn, block, table, seats, hooks, watch, calls, seatings, arm, seed, deal, deals, games, rows
    )
"""
_compile_lock = threading.RLock()  # what a strategy prepares may compile a table of its own


def is_compiled(arms: Sequence[Arm]) -> bool:
    """True when playing these arms needs no compilation (the cache is warm)."""
    hooks = [
        (entrant.cls, hook)
        for arm in arms
        for entrant in arm.lineup
        for hook in HOOKS
        if hook not in _NOT_ASKED[arm.rules.turn] and is_native(entrant.cls, hook)
    ]
    return all(is_kept(_ROOTS[turn], engine_hash()) for turn in {arm.rules.turn for arm in arms}) and all(
        is_silent(cls, hook) or is_warm(cls, hook) for cls, hook in hooks
    )


def warm(arms: Sequence[Arm]) -> None:
    """Compile all that these arms need, before any worker starts. StrategyError when one cannot."""
    turns = dict.fromkeys(arm.rules.turn for arm in arms)
    with _compile_lock:
        # The strategies first: one that cannot be compiled is to be told at once.
        with engine_ahead((turn, _ROOTS[turn]) for turn in turns):
            for arm in arms:
                for entrant in arm.lineup:
                    _hook_row(entrant, arm.rules.turn)
        for turn in turns:
            kernel_function(turn)
        for arm in arms:
            for entrant in arm.lineup:
                entrant.cls.prepare(arm.rules, entrant.values)


def _hook_row(entrant: Entrant, turn: str) -> list[int]:
    """Address of each hook; SILENT where it never acts, FOREIGN where Python is called back."""
    return [SILENT if hook in _NOT_ASKED[turn] else _hook_address(entrant.cls, hook) for hook in HOOKS]


def _hook_address(cls: StrategyMeta, hook: str) -> int:
    if is_silent(cls, hook):
        return SILENT
    native = is_native(cls, hook) and not numba.config.DISABLE_JIT
    return hook_address(cls, hook) if native else FOREIGN


def _watch_bits(entrant: Entrant) -> int:
    """What the appraisal looks at; 0 where there is none."""
    if is_silent(entrant.cls, "appraise"):
        return 0
    watches: Sequence[str] = entrant.cls.watches
    return sum(_WATCH_BITS[name] for name in set(watches)) or WATCH_FIELDS


class Bench:
    """The memory of one arm's table: records, templates and bound strategies.

    One bench belongs to one thread. Building it costs about a millisecond; `run` plays on it.
    """

    def __init__(self, arm: Arm, *, interpreted: bool = False, always_appraise: bool = False) -> None:
        self.arm = arm
        players = arm.rules.players
        self.block = new_blocks(1)
        self.tables, self.hiddens = self.block["table"], self.block["hidden"]
        self.seats = self.block["seats"][0]
        kinds = len(arm.rules.kinds)
        template = _table_template(arm.rules)
        self.block["table"] = template
        self.table_template = as_words(template)
        self.seat_templates = np.concatenate(
            [as_words(_seat_template(entrant, kinds)) for entrant in arm.lineup]
        )
        _set_options(self.hiddens, arm)
        self.hiddens["always_appraise"] = always_appraise
        rows = [_hook_row(entrant, arm.rules.turn) for entrant in arm.lineup]
        if interpreted:
            rows = [[FOREIGN if address else SILENT for address in row] for row in rows]
        self.hook_rows = np.array(rows, np.int64)
        self.watch = np.array([_watch_bits(entrant) for entrant in arm.lineup], np.int64)
        self.seatings = np.array(arm.seatings, np.int64)
        self.callbacks = np.zeros((players, players), np.int64)
        self.bound: dict[tuple[int, int], Interpreted] = {}
        self._raised: list[BaseException] = []
        self._bind()

    def _bind(self) -> None:
        """Bind the interpreted strategies, one instance for each entry and seat."""
        foreign = [entry for entry, row in enumerate(self.hook_rows) if FOREIGN in row]
        if not foreign:
            return
        table = TableView.of(self.tables, len(self.arm.rules.kinds))
        for entry in foreign:
            for seat in range(len(self.arm.lineup)):
                record = self.seats[seat : seat + 1]
                entrant = self.arm.lineup[entry]
                bound = Interpreted(entrant, self.arm.rules, table, record, seat, self._raised.append)
                self.bound[entry, seat] = bound
                self.callbacks[entry, seat] = bound.address

    def run(
        self,
        seed: int,
        first_deal: int,
        deals: int,
        seatings: Sequence[int] | None = None,
        log_rows: int = 0,
        deck: Sequence[int] | None = None,
    ) -> tuple[Batch, np.ndarray[Any, Any]]:
        """Play a range of deals; the batch and the raw event log (of the last game)."""
        arm, players = self.arm, self.arm.rules.players
        log = np.zeros((log_rows, LOG_COLUMNS), np.int16)
        games, rows, decisions = self._play_raw(seed, first_deal, deals, seatings, log, deck)
        harvests, trades = self._tallies()
        if seatings is not None:
            games["seating"] = np.tile(np.asarray(seatings), deals)
            rows["seating"] = np.repeat(games["seating"], players)
        errors = self._errors(games)
        batch = Batch(arm, seed, games, rows, harvests, trades, decisions, errors, [])
        events = log[: int(self.hiddens["log_size"][0])]
        if games["status"].any():
            self._leave_out_failed(batch)
        return batch, events

    def _play_raw(
        self,
        seed: int,
        first_deal: int,
        deals: int,
        seatings: Sequence[int] | None = None,
        log: np.ndarray[Any, Any] | None = None,
        deck: Sequence[int] | None = None,
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], int]:
        """Call the engine: rows of games, rows of seats, hook calls; tallies stay in the block."""
        table = self.seatings if seatings is None else self.seatings[list(seatings)]
        count = deals * len(table)
        games = np.zeros(count, GAMES_DTYPE)
        rows = np.zeros(count * self.arm.rules.players, SEATS_DTYPE)
        self._set_up(np.zeros((0, LOG_COLUMNS), np.int16) if log is None else log, deck)
        self._raised.clear()
        decisions = kernel_function(self.arm.rules.turn)(
            as_words(self.block),
            self.table_template,
            self.seat_templates,
            self.hook_rows,
            self.watch,
            self.callbacks,
            np.ascontiguousarray(table),
            self.arm.number,
            seed,
            first_deal,
            deals,
            as_words(games),
            as_words(rows),
        )
        return games, rows, int(decisions)

    def _leave_out_failed(self, batch: Batch) -> None:
        """Take what games that ended with an error had counted so far out of the batch's tallies.

        Such a game counts in no estimate. They are rare, so they are played again one by one.
        """
        failed = batch.games[batch.games["status"] != 0]
        if len(failed) == len(batch.games):
            batch.harvests[:] = 0
            batch.trades[:] = 0
            return
        for game in failed:
            self._play_raw(batch.seed, int(game["deal"]), 1, [int(game["seating"])])
            harvests, trades = self._tallies()
            batch.harvests -= harvests
            batch.trades -= trades

    def _tallies(self) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Harvests [entry, kind, cards, why] and trades [given, got] of the last run."""
        players, kinds = self.arm.rules.players, len(self.arm.rules.kinds)
        tally = self.block["tally"][0]
        kept = [*range(kinds), MAX_KINDS]
        return tally["harvests"][:players, :kinds].copy(), tally["trades"][np.ix_(kept, kept)].copy()

    def _set_up(self, log: np.ndarray[Any, Any], deck: Sequence[int] | None) -> None:
        self.block["tally"] = np.zeros((), TALLY_DTYPE)
        self.hiddens["logging"] = len(log) > 0
        self.hiddens["log_rows"] = len(log)
        self.hiddens["log_address"] = log.ctypes.data
        self.hiddens["given_deck"] = deck is not None
        if deck is not None:
            self.hiddens["fresh"][0, : len(deck)] = deck

    def _errors(self, games: np.ndarray[Any, Any]) -> dict[int, BaseException]:
        """Exceptions of interpreted strategies by row of `games`; each ended its game, hence the order."""
        raised = iter(self._raised)
        return {
            int(row): next(raised)
            for row in np.flatnonzero(games["status"] == RAISED)
            if self._is_foreign(games[row])
        }

    def _is_foreign(self, game: Any) -> bool:
        """Whether the hook that ended a game runs as Python."""
        entry = self.seatings[game["seating"], game["error_seat"]]
        return bool(self.hook_rows[entry, game["error_hook"]] == FOREIGN)

    def close(self) -> None:
        """Unbind interpreted strategies."""
        for bound in self.bound.values():
            bound.close()


def as_words(records: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same memory as rows of 64-bit words."""
    return records.view(np.uint8).view(np.uint64).reshape(len(records), records.itemsize // 8)


@functools.lru_cache(maxsize=64)
def _table_template(rules: Rules) -> np.ndarray[Any, Any]:
    """The table at the start of a game, with the rules in numbers."""
    table = np.zeros(1, TABLE_DTYPE)
    for name in ("players", "reveal", "draw", "max_fields", "field_price", "gifts"):
        table[name] = getattr(rules, name)
    table["kinds"] = len(rules.kinds)
    table["last_run_out"] = rules.run_outs
    table["everyone_draws"] = rules.draws == "everyone"
    table["token"] = -1
    table["top_discard"] = -1
    table["field_kind"] = NO_FIELD
    table["field_kind"][0, :, : rules.fields] = EMPTY
    table["fields"][0, : rules.players] = rules.fields
    for number, kind in enumerate(rules.kinds):
        table["count"][0, number] = kind.count
        table["field_at"][0, number] = kind.field_at or 0
        pay = [kind.coins(cards) for cards in range(CARD_COUNTS)]
        table["pay"][0, :, number] = pay
        table["needed"][0, number] = [_needed(pay, coins) for coins in range(5)]
        table["unpaid"][0, :, number] = [cards - _needed(pay, coins) for cards, coins in enumerate(pay)]
        steps = [_next_step(pay, cards) for cards in range(CARD_COUNTS)]
        table["missing"][0, :, number] = [missing for missing, _ in steps]
        table["slope"][0, :, number] = [coins / missing if missing else 0.0 for missing, coins in steps]
    return table


def _needed(pay: Sequence[int], least: int) -> int:
    """Least cards that pay at least so many coins; 0 where none do."""
    return next((cards for cards, coins in enumerate(pay) if coins >= least), 0)


def _next_step(pay: Sequence[int], cards: int) -> tuple[int, int]:
    """Cards missing to the beanometer's next step and the coins it adds; (0, 0) past the last."""
    for more in range(cards + 1, CARD_COUNTS):
        if pay[more] > pay[cards]:
            return more - cards, pay[more] - pay[cards]
    return 0, 0


def _seat_template(entrant: Entrant, kinds: int) -> np.ndarray[Any, Any]:
    """A seat at the start of a game: parameters and fresh memory of its strategy."""
    seat = np.zeros(1, SEAT_DTYPE)
    seat["kinds"] = kinds
    for name, item in entrant.cls.params.items():
        seat["param" if item.kind is float else "param_int"][0, item.slot] = entrant.values[name]
    for memory in entrant.cls.memories.values():
        row = seat["memory" if memory.kind is float else "memory_int"]
        row[0, memory.slot : memory.slot + max(1, memory.size)] = memory.initial
    return seat


def _set_options(hiddens: np.ndarray[Any, Any], arm: Arm) -> None:
    rules = arm.rules
    hiddens["deck_size"] = rules.deck_size
    hiddens["hands"][0, : rules.players] = rules.hands
    hiddens["exhaust_needed"] = rules.exhaust == "needed"
    hiddens["reshuffle_late"] = rules.reshuffle == "late"
    hiddens["play_on"] = rules.empty_discard == "play_on"
    hiddens["protect_all_single"] = rules.protect == "all_single"
    hiddens["harvesters"] = {"any_time": rules.players, "own_turn": 1, "forced": 0}[rules.harvest]
    hiddens["same_kind_twice"] = rules.same_kind_twice
    hiddens["front_most"] = rules.copy == "front_most"
    for name in ("trading", "proposals", "announcement_cap", "proposal_cap"):
        hiddens[name] = getattr(rules, name)
    for name in ("match_discards", "token_at", "token_draw"):
        hiddens[name] = getattr(rules, name)
    hiddens["tie_hand"] = rules.tie == "hand"
    hiddens["payment_box"] = rules.field_payment == "box"
    window_hooks = [] if rules.harvest == "forced" else ["harvest_early"]
    window_hooks += ["buy_field"] if rules.field_price else []
    hiddens["any_early"] = any(
        not is_silent(entrant.cls, hook) for entrant in arm.lineup for hook in window_hooks
    )


def play(
    arm: Arm,
    seed: int,
    first_deal: int,
    deals: int,
    *,
    seatings: Sequence[int] | None = None,
    log: bool = False,
    interpreted: bool = False,
) -> Batch:
    """Play the seatings of the deals first_deal, first_deal + 1, ... of an arm.

    Args:
        arm: rules, line-up and seatings.
        seed: 0 to 2**63 - 1.
        first_deal: number of the first deal, 0 to 2**40.
        deals: number of deals, 0 or more.
        seatings: numbers of the arm's seatings to play, all without it.
        log: also keep every game's events (`Batch.records`).
        interpreted: run the hooks as ordinary Python, for debugging and comparison.

    Raises:
        InputError: a seed, deal or seating out of range.
        StrategyError: a strategy that cannot be compiled.
    """
    _check_range(seed, first_deal, deals)
    if seatings is not None:
        _check_seatings(arm, seatings)
    warm([arm])
    bench = Bench(arm, interpreted=interpreted)
    try:
        if log:
            chosen = range(len(arm.seatings)) if seatings is None else seatings
            return _play_logged(bench, seed, range(first_deal, first_deal + deals), chosen)
        return bench.run(seed, first_deal, deals, seatings)[0]
    finally:
        bench.close()


def _play_logged(bench: Bench, seed: int, deals: Sequence[int], seatings: Sequence[int]) -> Batch:
    """One kernel call per game, so that each game's log is known."""
    played = [_play_one(bench, seed, deal, seating) for deal in deals for seating in seatings]
    return _joined(bench.arm, seed, [batch for batch, _ in played], [rows for _, rows in played])


def _play_one(
    bench: Bench, seed: int, deal: int, seating: int, deck: Sequence[int] | None = None
) -> tuple[Batch, np.ndarray[Any, Any]]:
    rows = _LOG_ROWS
    while True:
        batch, events = bench.run(seed, deal, 1, [seating], rows, deck)
        if batch.games["status"][0] != LOG_FULL:
            return batch, events
        rows *= 4


def _joined(arm: Arm, seed: int, parts: list[Batch], logs: list[np.ndarray[Any, Any]]) -> Batch:
    """Batches of one game each as one batch."""
    kinds = len(arm.rules.kinds)
    return Batch(
        arm,
        seed,
        np.concatenate([part.games for part in parts]) if parts else np.zeros(0, GAMES_DTYPE),
        np.concatenate([part.seats for part in parts]) if parts else np.zeros(0, SEATS_DTYPE),
        sum((part.harvests for part in parts), np.zeros((len(arm.lineup), kinds, CARD_COUNTS, 3), np.int64)),
        sum((part.trades for part in parts), np.zeros((kinds + 1, kinds + 1), np.int64)),
        sum(part.decisions for part in parts),
        {row: part.errors[0] for row, part in enumerate(parts) if part.errors},
        logs,
    )


def play_deck(arm: Arm, seed: int, deal: int, seating: int, deck: Sequence[int]) -> Batch:
    """Play one logged game whose first draw pile is given, next card first (kind numbers).

    Raises InputError when `deck` is not exactly the rule set's deck, or for a seed, deal or seating out of
    range.
    """
    _check_range(seed, deal, 1)
    _check_seatings(arm, [seating])
    if min(deck, default=0) < 0:
        raise InputError(
            f"the deck has the kind number {min(deck)}, expected 0 to {len(arm.rules.kinds) - 1}"
        )
    counts = np.bincount(np.asarray(deck, dtype=np.int64), minlength=len(arm.rules.kinds))
    for number, kind in enumerate(arm.rules.kinds):
        if counts[number] != kind.count or len(counts) > len(arm.rules.kinds):
            raise InputError(f"the deck has {counts[number]} {kind.name}, expected {kind.count}")
    warm([arm])
    bench = Bench(arm)
    try:
        batch, events = _play_one(bench, seed, deal, seating, deck)
    finally:
        bench.close()
    return _joined(arm, seed, [batch], [events])


def _check_seatings(arm: Arm, seatings: Sequence[int]) -> None:
    count = len(arm.seatings)
    for value in seatings:
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 0 <= value < count:
            raise InputError(
                f"seating is {value!r}, expected a whole number from 0 to {count - 1}: "
                f"arm {arm.name!r} has {count}"
            )


def _check_range(seed: int, first_deal: int, deals: int) -> None:
    for name, value, high in (
        ("seed", seed, MAX_SEED),
        ("deal", first_deal, MAX_DEAL),
        ("deals", deals, MAX_DEAL),
    ):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 0 <= value <= high:
            raise InputError(f"{name} is {value!r}, expected a whole number from 0 to {high}")
