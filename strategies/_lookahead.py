"""Looking ahead on top of any compiled strategy: `class Mine(LookAhead, Trader)`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

import numba
import numpy as np

from beansim.engine.playouts import TO_THE_END, Playouts
from beansim.errors import InputError
from beansim.rules import Rules
from beansim.strategy import NONE, Strategy, Table, choice, hook, load, memory, param, silent

POLICIES = ("champion", "planner", "counter", "trader", "hermit", "random")
"""Strategies that can play the playouts; they are compiled."""
ROUNDS = 4
"""Rounds in which the samples are played; answers that fall behind are left out of the next."""


class LookAhead(Strategy):
    """Tries the answers of its other parent in playouts, and gives another one where that is ahead.

    It looks ahead where it is asked for the second card, a field to harvest (forced, or early when its own
    turn begins and the field pays), one more field (when its own turn begins), a bid, a proposal, or what to
    plant next. All else is the other parent's affair, and so is the whole Duel.

    In each playout the cards that this seat cannot see are dealt to the other hands and the pile anew, all
    as likely: nothing is concluded from what the others did. Cards of an offer lie in the hand that offers
    them. The policy plays all seats with its own parameters and fresh memory. Where fields are sold, whose
    coin is of which kind is not kept in mind.
    """

    compiled = False

    samples = param(32, 4, 10_000, "games that are played on from each answer")
    depth = param(0, 0, 99, "turns that a playout goes on after the present one; 0: to the end")
    policy = choice("champion", POLICIES, "strategy of all seats in the playouts")
    proof = param(1.0, 0.0, 9.0, "standard errors that an answer must be ahead of the parent's")
    prize = param(10.0, 0.0, 100.0, "coins that a win counts for, beside the lead in coins")

    second_in_turn = memory(0)

    playouts: Playouts | None = None

    @classmethod
    def prepare(cls, rules: Rules, values: Mapping[str, float]) -> None:
        """Compile the playouts before there are workers."""
        if rules.turn == "standard":
            Playouts.prepare(rules, load(POLICIES[int(values["policy"])]))

    def best(
        self, table: Table, hook: str, argument: int, usual: int, answers: Sequence[int], second: bool = False
    ) -> int:
        """The best of the answers; the usual one unless another is ahead beyond doubt."""
        others = [answer for answer in answers if answer != usual]
        if not others or self.rules.turn != "standard":
            return usual
        if numba.config.DISABLE_JIT:  # interpreted hooks are bound to the table's memory, not to a copy's
            raise InputError("looking ahead needs the compiled engine: NUMBA_DISABLE_JIT is set")
        if self.playouts is None:
            self.playouts = Playouts(self.rules, load(POLICIES[self.policy]), table, self)
        self.playouts.look(hook, argument, second=second)
        return self.tried(self.playouts, usual, others)

    def tried(self, playouts: Playouts, usual: int, others: list[int]) -> int:
        """Play rounds of samples until all are played, or no other answer can be ahead any more."""
        turns = self.depth or TO_THE_END
        ahead = np.zeros((len(others), 0))
        for number in range(ROUNDS):
            first, last = (self.samples * part // ROUNDS for part in (number, number + 1))
            found = playouts.play([usual, *others], first, last - first, turns)
            values = self.prize * found[:, :, 0] + found[:, :, 1]
            ahead = np.concatenate([ahead, values[1:] - values[0]], axis=1)
            means = ahead.mean(axis=1)
            errors = ahead.std(axis=1) / sqrt(last)
            able = means + 2.0 * errors > 0.0
            if not able.any():
                return usual
            others = [answer for answer, kept in zip(others, able, strict=True) if kept]
            ahead, means, errors = ahead[able], means[able], errors[able]
        best = int(means.argmax())
        return others[best] if means[best] > self.proof * errors[best] else usual

    @hook
    def plant_second(self, table: Table, kind: int) -> int:
        """Plant the new front card too?"""
        usual = int(super().plant_second(table, kind))
        answer = self.best(table, "plant_second", kind, usual, (0, 1))
        if answer:
            self.second_in_turn = table.turn
        return answer

    @hook
    def choose_harvest(self, table: Table, kind: int) -> int:
        """Which field makes room?"""
        usual = super().choose_harvest(table, kind)
        fields = [field for field in range(table.fields[self.seat]) if self.allowed[field]]
        second = table.phase == 1 and self.second_in_turn == table.turn
        return self.best(table, "choose_harvest", kind, usual, fields, second)

    @hook
    def choose_bid(self, table: Table) -> int:
        """Which bid, or none?"""
        usual = super().choose_bid(table)
        bidders = [seat for seat in range(table.players) if table.has_bid[seat] and seat != self.seat]
        return self.best(table, "choose_bid", 0, usual, [NONE, *bidders])

    @hook
    def accept(self, table: Table, partner: int) -> int:
        """Close this deal?"""
        usual = int(super().accept(table, partner))
        return self.best(table, "accept", partner, usual, (0, 1))

    @hook
    def harvest_early(self, table: Table) -> int:
        """When its turn begins: harvest a field that pays, though nobody forces it?"""
        parents = super().harvest_early
        usual = NONE if getattr(parents, "__func__", None) is silent else int(parents(table))
        if table.active != self.seat or table.phase != 1:
            return usual
        fields = [
            field
            for field in range(table.fields[self.seat])
            if self.allowed[field]
            and table.pay[table.field_kind[self.seat, field], table.field_cards[self.seat, field]] > 0
        ]
        return self.best(table, "harvest_early", 0, usual, [NONE, *fields])

    @hook
    def buy_field(self, table: Table) -> int:
        """When its turn begins: buy one more field?"""
        usual = int(super().buy_field(table))
        if table.active != self.seat or table.phase != 1:
            return usual
        return self.best(table, "buy_field", 0, usual, (0, 1))

    @hook
    def plant_next(self, table: Table) -> int:
        """Which received or revealed kind is planted next?"""
        usual = super().plant_next(table)
        pending = self.pending(table)
        kinds = [kind for kind in range(table.kinds) if pending >> kind & 1]
        return self.best(table, "plant_next", 0, usual, kinds)
