"""Looking ahead: what would come of each answer, as far as a seat can know? The Python side of `lookahead`.

A seat knows what lies open, its own hand and the sizes of the others. `Playouts` builds a game out of that,
deals what is left over to the other hands and the pile, and lets a policy play it on at all seats.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numba
import numpy as np

from beansim.engine import lookahead
from beansim.engine.batch import Arm, Bench, as_words, warm
from beansim.engine.resume import RESUMABLE
from beansim.engine.state import new_blocks
from beansim.engine.status import REASONS
from beansim.engine.turn import standard_turn
from beansim.errors import BeansimError, InputError, unknown
from beansim.rules import Rules
from beansim.strategy.base import HOOKS, Seat
from beansim.strategy.cache import compile_kept, engine_hash
from beansim.strategy.compiling import natural_indices
from beansim.strategy.interpreted import TableView
from beansim.strategy.load import Entrant
from beansim.strategy.records import SEAT_DTYPE, TABLE_FIELDS, TABLE_GAME_FIELDS

TO_THE_END = 1_000_000
"""Turns to play on: more than any game has."""

_TRY = """
def entry(block, unseen, shown, asked, answers, out, first):
    return try_answers(take_turn, block, unseen, shown, asked, answers, out, first)
"""
_RESUME = """
def entry(block, asked, answer):
    return resume(take_turn, block, asked, answer)
"""


class PlayoutError(BeansimError):
    """A playout ended with an error: of its policy, or of the answer that was tried."""


@functools.cache
def try_function() -> Any:
    """`lookahead.try_answers`, compiled once in a process or loaded from the cache."""
    return _compile("engine-lookahead", _TRY, lookahead.try_answers, lookahead.TRY_SIGNATURE)


@functools.cache
def resume_function() -> Any:
    """`lookahead.resume`, in the same way."""
    return _compile("engine-resume", _RESUME, lookahead.resume, lookahead.RESUME_SIGNATURE)


def _compile(name: str, entry: str, function: Any, signature: Any) -> Any:
    if numba.config.DISABLE_JIT:
        return functools.partial(function, standard_turn)
    names = {function.__name__: function, "take_turn": standard_turn}
    with natural_indices():
        return compile_kept(name, engine_hash(), entry, names, signature)


def resume(block: np.ndarray[Any, Any], asked: Sequence[int], answer: int) -> int:
    """Play a whole block on to the end from the answer to a hook, hidden cards as they are.

    Args:
        block: GAME_DTYPE [1] as it was when the hook was called; afterwards it holds the game's end.
        asked: number of the hook, seat, argument, 1 where a second card is planted.
        answer: the hook's answer, which must be legal.

    Returns:
        The status (`engine.status`).
    """
    return int(resume_function()(as_words(block), np.array([*asked, TO_THE_END], np.int64), answer))


class Playouts:
    """Games played on from the decisions of one seat, all seats by one policy.

    The position is built from the views that hooks get: nothing hidden goes into it.
    """

    def __init__(self, rules: Rules, policy: Entrant, table: TableView, seat: Seat) -> None:
        """Prepare for one seat at one table.

        Args:
            rules: the rule set; not one of the Duel's turn.
            policy: a compiled strategy.
            table: what the seat's hooks get as `table`.
            seat: the seat's interpreted strategy.

        Raises:
            InputError: a policy of ordinary Python, or the Duel.
        """
        if rules.turn != "standard":
            raise InputError(f"{rules.variant}: only games of the standard turn can be played on")
        if not policy.compiled:
            raise InputError(f"{policy.label} is ordinary Python: playouts need a compiled strategy")
        self.rules, self.seat = rules, seat
        self.policy = policy
        self._block = new_blocks(2)
        self._words = as_words(self._block)
        _seat_policy(self._block, rules, policy)
        position = self._block[1]
        self._table, self._hidden = position["table"], position["hidden"]
        self._own = position["seats"][seat.seat]
        self._seen = _pairs(self._block[1:]["table"], table, len(rules.kinds))
        self._shown = np.zeros((rules.players, len(rules.kinds)), np.int64)

    @staticmethod
    def prepare(rules: Rules, policy: Entrant) -> None:
        """Compile all that playouts with this policy need."""
        try_function()
        warm([_table_of(rules, policy)])

    def look(self, hook: str, argument: int, *, second: bool = False) -> None:
        """Take in the position in which a hook is being asked.

        Draws the seed of all samples from the seat's own stream.

        Args:
            hook: one of `RESUMABLE`.
            argument: its argument, 0 where it has none.
            second: the seat is planting its second card (`choose_harvest` in phase 1).

        Raises:
            InputError: a hook from which no game can be played on.
        """
        if hook not in RESUMABLE:
            raise unknown("hook", hook, RESUMABLE, "look-ahead")
        self._take_in(hook, argument)
        self._hidden["seed"] = self.seat.random(1 << 31) << 31 | self.seat.random(1 << 31)
        self._asked = np.array([HOOKS.index(hook), self.seat.seat, argument, second, TO_THE_END], np.int64)
        self._unseen = self._count_unseen()

    def play(
        self, answers: Sequence[int], first: int, samples: int, turns: int = TO_THE_END
    ) -> np.ndarray[Any, Any]:
        """Play on from each answer in the position looked at, with the same samples for each.

        A sample is one way in which the unseen cards can lie and one run of luck for the rest of the game.

        Args:
            answers: legal answers.
            first: number of the first sample.
            samples: games to play for each answer.
            turns: turns to play after this one; a game that is cut there counts its fields in proportion.

        Returns:
            float64 [answers, samples, 2]: win share (0 to 1), and coins ahead of the best other seat.

        Raises:
            PlayoutError: a game ended with an error.
        """
        self._asked[-1] = turns
        out = np.empty((len(answers), samples, 2))
        self._try(np.array(answers, np.int64), out, first)
        if np.isnan(out).any():
            self._complain(answers, out, first)
        return out

    def _try(self, answers: np.ndarray[Any, Any], out: np.ndarray[Any, Any], first: int) -> None:
        try_function()(self._words, self._unseen, self._shown, self._asked, answers, out, first)

    # --- the position as the seat sees it ---

    def _take_in(self, hook: str, argument: int) -> None:
        """Copy all that the seat can see into the position."""
        for ours, seen in self._seen:
            np.copyto(ours, seen)
        table, hidden, own = self._table, self._hidden, self._own
        cards = self.seat.hand_count
        own["hand"][:cards] = self.seat.hand
        own["hand_front"], own["hand_count"] = 0, cards
        own["held"][: len(self.seat.held)] = self.seat.held
        own["held_mask"] = self.seat.held_mask
        hidden["received"] = sum(1 << seat for seat in range(self.rules.players) if table["aside_mask"][seat])
        hidden["shuffles"] = table["run_outs"] + 1
        hidden["turn_announced"] = table["announcements"]
        hidden["ending"] = self._is_ending()
        self._lay_discards()
        if self.rules.field_price:
            self._lay_earnings()
        self._shown[:] = 0
        if hook == "accept":
            self._shown[argument] = table["offer_give"][: len(self.rules.kinds)]
        elif hook == "choose_bid":
            bidders = table["has_bid"][: self.rules.players, None] == 1
            self._shown[:] = bidders * table["bid_give"][: self.rules.players, : len(self.rules.kinds)]
            self._shown[self.seat.seat] = 0

    def _is_ending(self) -> bool:
        """Whether this turn is the last: the last run-out has come, or nothing was there to shuffle (A4)."""
        table, rules = self._table, self.rules
        at_once = rules.exhaust == "last_card" and rules.reshuffle == "immediate"
        nothing_left = at_once and rules.empty_discard != "play_on" and table["pile"] == 0
        return bool(table["run_outs"] >= table["last_run_out"] or nothing_left)

    def _lay_discards(self) -> None:
        """The discard pile: what was seen and lies nowhere else, the top card last."""
        table = self._table
        lying = table["seen"] - table["revealed"]
        lying = lying - table["aside"][: self.rules.players].sum(axis=0)
        for seat in range(self.rules.players):
            for field in range(table["fields"][seat]):
                if table["field_kind"][seat, field] >= 0:
                    lying[table["field_kind"][seat, field]] -= table["field_cards"][seat, field]
        size = int(table["discards"])
        if size:
            lying[table["top_discard"]] -= 1
            pile = np.repeat(np.arange(len(lying)), lying)
            self._hidden["discard"][: size - 1] = pile
            self._hidden["discard"][size - 1] = table["top_discard"]

    def _lay_earnings(self) -> None:
        """Coins by seat: whose coin is of which kind is not kept on the table, so by turns."""
        table, earned = self._table, self._hidden["earned"]
        kinds = np.repeat(np.arange(len(table["coined"])), table["coined"])
        coins = table["coins"][: self.rules.players]
        owners = np.repeat(np.arange(self.rules.players), coins)
        order = np.argsort([place for count in coins for place in range(count)], kind="stable")
        for place, kind in zip(order, kinds, strict=False):
            seat = owners[place]
            earned[seat, place - int(coins[:seat].sum())] = kind

    def _count_unseen(self) -> np.ndarray[Any, Any]:
        """Cards of each kind that lie in the pile or in other hands."""
        table, kinds = self._table, len(self.rules.kinds)
        unseen = table["count"].astype(np.int64) - table["seen"] - table["coined"] - self._own["held"]
        others = int(table["hand_size"][: self.rules.players].sum()) - int(self._own["hand_count"])
        if unseen.sum() != table["pile"] + others or (unseen[:kinds] < self._shown.sum(axis=0)).any():
            raise PlayoutError("the cards that a seat has seen do not add up to the deck")
        return unseen[:kinds]

    def _complain(self, answers: Sequence[int], out: np.ndarray[Any, Any], first: int) -> None:
        """Play the first failed game again for its error."""
        number, sample = (int(place) for place in np.argwhere(np.isnan(out[:, :, 0]))[0])
        self._try(np.array([answers[number]], np.int64), np.empty((1, 1, 2)), first + sample)
        hidden = self._block[0]["hidden"]
        raised = int(hidden["error_hook"])
        who = f"{self.policy.label}.{HOOKS[raised]}" if raised >= 0 else "the engine"
        raise PlayoutError(
            f"playing on from {HOOKS[self._asked[0]]} = {answers[number]}: "
            f"{who} {REASONS[int(hidden['status'])]}"
        )


def _table_of(rules: Rules, policy: Entrant) -> Arm:
    """A table with the policy at every seat."""
    return Arm("playouts", rules, (policy,) * rules.players, (tuple(range(rules.players)),))


def _seat_policy(block: np.ndarray[Any, Any], rules: Rules, policy: Entrant) -> None:
    """Fill blocks with the rule set and the policy's hooks, parameters and fresh memory at every seat."""
    bench = Bench(_table_of(rules, policy))
    block[:] = bench.block[0]
    for seat in range(rules.players):
        template = bench.seat_templates[seat].view(SEAT_DTYPE)[0]
        block["seats"][:, seat] = template
        block["seats"]["seat"][:, seat] = seat
        block["hidden"]["hooks"][:, seat] = bench.hook_rows[seat]
        block["hidden"]["watch"][:, seat] = bench.watch[seat]
    block["hidden"]["dirty"] = -1
    block["hidden"]["table_dirty"] = 1
    block["hidden"]["error_seat"] = block["hidden"]["error_hook"] = -1


def _pairs(ours: Any, table: TableView, kinds: int) -> list[tuple[Any, Any]]:
    """Our field and the seen one, for all of the table that a game changes."""
    pairs = []
    for name in TABLE_GAME_FIELDS:
        slot = TABLE_FIELDS[name]
        row = ours[name] if not slot.shape else ours[name][0]
        pairs.append((row[:kinds] if slot.by_kind else row, np.asarray(table.view(name))))
    return pairs


__all__ = ["RESUMABLE", "TO_THE_END", "PlayoutError", "Playouts", "resume"]
