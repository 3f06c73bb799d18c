"""How a game ended: by the rules, or by an answer that the engine refused.

A refused answer ends its game with one of these codes; the game is counted and shown, and takes
part in no estimate (DESIGN, engine).
"""

from __future__ import annotations

from beansim.strategy.base import HOOKS

OK = 0
RAISED = 1
BAD_FIELD = 2
BAD_HARVEST = 3
BAD_KIND = 4
BAD_ANNOUNCE = 5
BAD_BID_ANSWER = 6
PUTS_UP_MISSING = 7
BAD_WISH = 8
NO_WISH = 9
NOTHING_FOR_NOTHING = 10
NO_GIFTS = 11
TAKES_NOT_PUT_UP = 12
PAYS_MISSING = 13
PAYS_NOT_WISHED = 14
BAD_TAKE = 15
BAD_SEAT = 16
BAD_COPY = 17
BAD_YES_NO = 18
LOG_FULL = 19
ENGINE_FAULT = 20
BAD_OFFERED = 21
BAD_DISCARD = 22
CRASHED = 23
HUNG = 24

REASONS: dict[int, str] = {
    RAISED: "raised an exception",
    BAD_FIELD: "chose a field that is neither empty nor of this kind (RULES 1.2)",
    BAD_HARVEST: "chose a field that may not be harvested now (RULES 1.2 protection)",
    BAD_KIND: "chose a kind of which it has no card to plant (RULES 1.2 phase 3)",
    BAD_ANNOUNCE: "answered neither PASS, OFFER nor CLOSE",
    BAD_BID_ANSWER: "answered neither PASS nor OFFER",
    PUTS_UP_MISSING: "put up cards it does not have (self.give; RULES 1.2 phase 2)",
    BAD_WISH: "wrote a wish that is not 0 or 1 for the deck's kinds (self.wish)",
    NO_WISH: "put cards up without a wish: set self.wish, or self.wish_nothing for a gift",
    NOTHING_FOR_NOTHING: "offered nothing for nothing (RULES A19): answer PASS instead",
    NO_GIFTS: "offered a gift where the rule set has none (RULES A10)",
    TAKES_NOT_PUT_UP: "took cards that were not put up (self.take)",
    PAYS_MISSING: "gave cards that are not in its hand (self.give)",
    PAYS_NOT_WISHED: "paid a kind that was not wished for, or nothing where that was not wished",
    BAD_TAKE: "asked for an impossible number or kind of cards (self.take)",
    BAD_SEAT: "chose a seat that has not bid",
    BAD_COPY: "chose a copy that is not there (a hand position of this kind, or NONE for the revealed card)",
    BAD_YES_NO: "answered neither yes (1) nor no (0)",
    BAD_OFFERED: "chose a kind of which no card is on offer or turned up (RULES 2.5)",
    BAD_DISCARD: "chose a hand position that is not there (NONE keeps the hand; RULES 2.5)",
    LOG_FULL: "the event log is full",
    CRASHED: "ended the process that played the game (a crash, or an exit)",
    HUNG: "did not answer in time and was stopped",
    ENGINE_FAULT: "met a fault of the engine itself; please report it",
}
"""What each code says of the hook's answer."""

LOST = (CRASHED, HUNG)
"""Games of which nothing came back: they are not played again to show what happened."""

GATHERED = {
    HOOKS.index("announce"): ("give", "wish"),
    HOOKS.index("bid"): ("give", "take"),
    HOOKS.index("propose"): ("give", "take"),
}
"""The rows that an error of these hooks shows."""
