"""The draw pile: dealing, revealing and drawing cards one by one, and its run-outs (A1-A4).

A step (the deal, the reveals of phase 2, the draws of phase 4) is a list of demands. It goes on by
itself until the cards are handed out, or until it waits for a shuffle, which is luck and comes
from outside the referee.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from beansim.referee.illegal import IllegalAction

if TYPE_CHECKING:
    from beansim.referee.game import Game

REVEALED = -1
"""Who gets the card in a demand of phase 2: it is turned up instead of going to a hand."""


class Step:
    """The demands of one deal, reveal or draw step that are still open.

    Attributes:
        demands: ``[seat or REVEALED, cards]`` pairs still to be served, in order.
        awaits_shuffle: the step can only go on (or close) after a shuffle.
    """

    def __init__(self) -> None:
        self.demands: list[list[int]] = []
        self.awaits_shuffle = False

    def start(self, game: Game, demands: list[tuple[int, int]]) -> None:
        """Begin a step and hand out cards as far as they go."""
        self.demands = [[who, cards] for who, cards in demands if cards > 0]
        self.go_on(game)

    def go_on(self, game: Game) -> None:
        """Hand out cards until the demands are met, the game is ending, or a shuffle is needed."""
        while self.demands:
            if game.table.pile:
                self._serve(game)
            else:
                self._find_cards(game)
            if self.awaits_shuffle:
                return

    def put_new_pile(self, game: Game, deck: list[str]) -> None:
        """Turn the shuffled discard pile into the draw pile, then hand out what is still open."""
        game.table.pile = deck[::-1]
        game.table.discards.clear()
        game.passes += 1
        self.awaits_shuffle = False
        game.write("shuffle", {"pass": game.passes, "deck": list(deck)})
        self.go_on(game)

    def _serve(self, game: Game) -> None:
        """Hand the first demand as many cards as the pile has for it: one unbroken run."""
        who, wanted = self.demands[0]
        pile = game.table.pile
        beans = pile[: -wanted - 1 : -1]
        del pile[-wanted:]
        if wanted > len(beans):
            self.demands[0][1] = wanted - len(beans)
        else:
            del self.demands[0]
        if who == REVEALED:
            game.table.revealed += beans
            game.write("reveal", {"seat": game.active, "beans": beans})
        else:
            game.table.seats[who].hand += beans
            game.write("draw", {"seat": who, "beans": beans})
        if not pile and game.rules.exhaust == "last_card":
            self._run_out_at_last_card(game)

    def _run_out_at_last_card(self, game: Game) -> None:
        """A1(a): the pile has run out with its last card; A2 says when it is rebuilt."""
        count_run_out(game)
        if game.ending:
            return
        if not game.table.discards:
            _find_no_discards(game)
        elif game.rules.reshuffle == "immediate":
            self.awaits_shuffle = True

    def _find_cards(self, game: Game) -> None:
        """A card is needed and the pile is empty: count a run-out where one is due, then rebuild.

        Under A1(a) the run-out was counted with the last card; where it is played on, a need that
        finds no discards either is another one (A4). Under A1(b) every such need is one.
        """
        plays_on = game.rules.empty_discard == "play_on" and not game.table.discards
        if game.rules.exhaust == "needed" or plays_on:
            count_run_out(game)
        if game.ending:
            return
        if game.table.discards:
            self.awaits_shuffle = True
            return
        _find_no_discards(game)
        self.demands.clear()  # played on, the step goes without the cards that are not there


def count_run_out(game: Game) -> None:
    """Count one run-out of the draw pile; the last one begins the ending (RULES 1.2)."""
    game.run_outs += 1
    game.write("exhausted", {"count": game.run_outs})
    if game.run_outs == game.rules.run_outs:
        begin_ending(game, "exhausted")


def _find_no_discards(game: Game) -> None:
    """A4: there is nothing to shuffle. Judged when the run-out is counted, whenever a shuffle is due."""
    if game.rules.empty_discard == "end_after_phase":
        begin_ending(game, "no-discards")


def begin_ending(game: Game, why: str) -> None:
    """No card is drawn any more; in phase 2 the phases 2 and 3 are still finished (RULES 1.2)."""
    game.ending = why
    game.step.demands.clear()


def verify_shuffle(game: Game, deck: list[str]) -> None:
    """Refuse a shuffle nobody waits for, and a deck that is not exactly the discard pile."""
    if not game.step.awaits_shuffle:
        raise IllegalAction("RULES 1.2 run-out", "the draw pile is not shuffled at this moment")
    if sorted(deck) != sorted(game.table.discards):
        what = "the full deck" if game.phase == "deal" else "exactly the cards of the discard pile"
        raise IllegalAction("RULES 1.2 run-out", f"the new pile is {what}, {len(game.table.discards)} cards")
