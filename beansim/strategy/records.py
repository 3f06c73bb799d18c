"""Memory layout of the records that the engine and the hooks share.

Two records face a hook: the table (what everyone can see) and its own seat (what only that seat
sees). Every field is declared once here, with its meaning; the NumPy dtypes, the typed
attributes of compiled hooks and the views of interpreted ones all follow from it.

Counts per kind are rows of signed bytes, one for each kind of the deck.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from beansim.rules import MAX_DECK, MAX_FIELDS, MAX_KINDS, MAX_PLAYERS
from beansim.rules.kinds import MAX_CARDS_OF_A_KIND

N_PARAMS = 24
"""Parameters a strategy may declare."""
N_MEMORY = 64
"""Numbers a strategy may keep in its scratch memory during a game (DESIGN, engine)."""
CACHE_LINE = 64
"""Bytes that a processor fetches at once; records are whole lines."""
CARD_COUNTS = MAX_CARDS_OF_A_KIND + 1
"""Columns of tables by number of cards: 0 to the most of a kind that a deck can hold."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One field of a record.

    Attributes:
        name: attribute name.
        code: NumPy type code of one element.
        shape: () for a single number.
        doc: meaning, for authors of strategies; empty for fields hooks do not see.
        writable: hooks may write it.
        span: least value and the first one too large, where the engine guarantees them; the
            compiler leaves out the range checks of what is indexed by such a number.
    """

    name: str
    code: str
    shape: tuple[int, ...] = ()
    doc: str = ""
    writable: bool = False
    span: tuple[int, int] | None = None

    @property
    def by_kind(self) -> bool:
        """A row with one element for each kind of the deck; its length is the number of kinds."""
        return self.shape == (MAX_KINDS,)

    @property
    def transposed(self) -> bool:
        """A grid [kind, cards] that lies in memory as [cards, kind], since loops go through the kinds."""
        return self.shape == (MAX_KINDS, CARD_COUNTS)

    @property
    def stored_shape(self) -> tuple[int, ...]:
        """The shape in memory."""
        return self.shape[::-1] if self.transposed else self.shape


def _kinds(name: str, doc: str, *, writable: bool = False) -> Slot:
    """A row by kind."""
    return Slot(name, "i1", (MAX_KINDS,), doc, writable)


_SEATS = (0, MAX_PLAYERS)
_COUNTS = (0, CARD_COUNTS)
_SEAT_KIND = (MAX_PLAYERS, MAX_KINDS)
_SEAT_FIELD = (MAX_PLAYERS, MAX_FIELDS)

TABLE_SLOTS: tuple[Slot, ...] = (
    Slot("active", "i8", doc="seat whose turn it is", span=_SEATS),
    Slot("start", "i8", doc="the start seat", span=_SEATS),
    Slot("turn", "i8", doc="turns begun, 1 in the first turn"),
    Slot("phase", "i8", doc="phase of the turn, 1 to 4; 0 during the deal, 5 at the end"),
    Slot("token", "i8", doc="seat that holds the draw token, -1 nobody (a house rule)"),
    Slot("pile", "i8", doc="cards left in the draw pile"),
    Slot("discards", "i8", doc="cards in the discard pile"),
    Slot("top_discard", "i8", doc="kind of the top discard, -1 where there is none"),
    Slot("run_outs", "i8", doc="run-outs of the draw pile so far"),
    Slot("announcements", "i8", doc="announcements of this turn since the last closed deal"),
    Slot("wish_nothing", "i8", doc="1 when the announcement is (also) a gift: nothing need be paid"),
    Slot(
        "field_kind",
        "i1",
        _SEAT_FIELD,
        "kind in each field of each seat, -1 in an empty one",
        span=(-2, MAX_KINDS),
    ),
    Slot("field_cards", "i1", _SEAT_FIELD, "cards in each field of each seat", span=_COUNTS),
    Slot("fields", "i1", (MAX_PLAYERS,), "fields each seat has", span=(0, MAX_FIELDS + 1)),
    Slot("coins", "i2", (MAX_PLAYERS,), "coins each seat has earned"),
    Slot("hand_size", "i2", (MAX_PLAYERS,), "cards in each seat's hand"),
    Slot("aside", "i1", _SEAT_KIND, "cards each seat has received and must plant, by kind", span=_COUNTS),
    Slot("aside_mask", "i8", (MAX_PLAYERS,), "bit mask of those kinds for each seat"),
    _kinds("revealed", "cards turned up that the active seat still has, in the Duel also its offer, by kind"),
    Slot("revealed_mask", "i8", doc="bit mask of those kinds"),
    _kinds("seen", "cards face up since the last reshuffle (fields, set aside, discards), by kind"),
    _kinds("coined", "cards out of play as coins, by kind"),
    _kinds("put_up", "announcement: cards put up by the active seat, by kind"),
    Slot("put_up_mask", "i8", doc="announcement: bit mask of the kinds put up"),
    _kinds("wished", "announcement: 1 for each kind wished for"),
    Slot("wished_mask", "i8", doc="announcement: bit mask of the kinds wished for"),
    Slot("has_bid", "i1", (MAX_PLAYERS,), "1 for each seat that has bid (seen in choose_bid)"),
    Slot("bid_give", "i1", _SEAT_KIND, "cards each bidder pays, by kind (seen in choose_bid)"),
    Slot("bid_give_mask", "i8", (MAX_PLAYERS,), "bit mask of the kinds each bidder pays"),
    Slot("bid_take", "i1", _SEAT_KIND, "cards each bidder takes, by kind (seen in choose_bid)"),
    Slot("bid_take_mask", "i8", (MAX_PLAYERS,), "bit mask of the kinds each bidder takes"),
    _kinds("offer_give", "a proposal under decision: cards the proposer gives, by kind"),
    Slot("offer_give_mask", "i8", doc="a proposal under decision: bit mask of the kinds given"),
    _kinds("offer_take", "a proposal under decision: cards the proposer wants, by kind"),
    Slot("offer_take_mask", "i8", doc="a proposal under decision: bit mask of the kinds wanted"),
    # the rules in numbers; the same for every game of an arm
    Slot("players", "i8", doc="seats at the table", span=(1, MAX_PLAYERS + 1)),
    Slot("kinds", "i8", doc="kinds of beans in the deck; kinds are numbered from 0", span=(1, MAX_KINDS + 1)),
    Slot("last_run_out", "i8", doc="the run-out that ends the game"),
    Slot("reveal", "i8", doc="cards turned up in phase 2"),
    Slot("draw", "i8", doc="cards drawn in phase 4"),
    Slot("everyone_draws", "i8", doc="1 where every seat draws in phase 4"),
    Slot("max_fields", "i8", doc="fields a seat can ever have"),
    Slot("gifts", "i8", doc="1 where a side of a deal may be empty"),
    Slot("field_price", "i8", doc="coins for one more field, 0 where none is sold"),
    _kinds("count", "cards of each kind in the whole deck"),
    _kinds("field_at", "cards of each kind whose harvest earns one more field, 0 where none does"),
    Slot(
        "pay", "i1", (MAX_KINDS, CARD_COUNTS), "coins for harvesting 0 to 99 cards of each kind", span=(0, 5)
    ),
    Slot("needed", "i1", (MAX_KINDS, 5), "cards needed for 0 to 4 coins or more, 0 where never paid"),
    Slot(
        "missing",
        "i1",
        (MAX_KINDS, CARD_COUNTS),
        "cards missing from 0 to 99 cards to the next step, by kind",
    ),
    Slot(
        "unpaid",
        "i1",
        (MAX_KINDS, CARD_COUNTS),
        "cards of 0 to 99 that are over the last step and pay nothing yet, by kind",
        span=_COUNTS,
    ),
    Slot(
        "slope", "f8", (MAX_KINDS, CARD_COUNTS), "coins a card from 0 to 99 cards to the next step, by kind"
    ),
)
"""The table record: what everyone at the table can see, and the rules in numbers."""

SEAT_SLOTS: tuple[Slot, ...] = (
    Slot("seat", "i8", doc="number of my seat", span=_SEATS),
    Slot("hand_count", "i8", doc="cards in my hand"),
    Slot("worth", "f8", (MAX_KINDS,), "appraise writes: coins that one more card is worth", True),
    Slot("loss", "f8", (MAX_FIELDS,), "appraise writes: coins lost by harvesting each field now", True),
    _kinds("held", "cards in my hand, by kind"),
    Slot("held_mask", "i8", doc="bit mask of the kinds in my hand"),
    Slot("give_mask", "i8"),
    _kinds("give", "offer: cards I give, by kind", writable=True),
    Slot("take_mask", "i8"),
    _kinds("take", "offer: cards I take, by kind", writable=True),
    Slot("wish_mask", "i8"),
    _kinds("wish", "announce: 1 for each kind wished for", writable=True),
    Slot("wish_nothing", "i8", doc="announce: set to 1 to give the cards away", writable=True),
    Slot("allowed", "i1", (MAX_FIELDS,), "1 for each field I may choose now (planting, harvesting)"),
    Slot("kinds", "i8", span=(1, MAX_KINDS + 1)),
    Slot("param", "f8", (N_PARAMS,)),
    Slot("memory", "f8", (N_MEMORY,)),
    Slot("stream", "u8", (12,)),
    Slot("callback", "i8"),
    Slot("hand_front", "i8"),
    Slot("hand", "i1", (MAX_DECK + 16,), "kinds in my hand; 0 is the front card"),
)
"""The seat record: what only that seat sees, and where its hooks write."""


def _layout(slots: tuple[Slot, ...]) -> np.dtype[np.void]:
    """A dtype with every row aligned, so that reading it whole touches one cache line.

    Parameters and memory get an overlapping integer view.
    """
    names, formats, offsets, end = [], [], [], 0
    for slot in slots:
        base = np.dtype((slot.code, slot.stored_shape)) if slot.shape else np.dtype(slot.code)
        end = -(-end // _alignment(slot)) * _alignment(slot)
        names.append(slot.name)
        formats.append(base)
        offsets.append(end)
        if slot.name in ("param", "memory"):
            names.append(f"{slot.name}_int")
            formats.append(np.dtype(("i8", slot.shape)))
            offsets.append(end)
        end += base.itemsize
    size = -(-end // CACHE_LINE) * CACHE_LINE
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})


def _alignment(slot: Slot) -> int:
    """The largest power of two that a row of the slot fills, from a word to a cache line."""
    row = np.dtype(slot.code).itemsize * (slot.stored_shape[-1] if slot.shape else 1)
    return min(CACHE_LINE, max(8, 1 << row.bit_length() - 1))


TABLE_DTYPE = _layout(TABLE_SLOTS)
SEAT_DTYPE = _layout(SEAT_SLOTS)
TABLE_FIELDS: dict[str, Slot] = {slot.name: slot for slot in TABLE_SLOTS if slot.doc}
"""What hooks see of the table, by attribute name."""
BURDEN_MASK = Slot("burden_mask", "i8", doc="bit mask of the kinds now worth less than nothing")
"""Not stored: it follows from `worth` where a hook asks for it, as many hooks never do."""
SEAT_FIELDS: dict[str, Slot] = {slot.name: slot for slot in (*SEAT_SLOTS, BURDEN_MASK) if slot.doc}
"""What a hook sees of its own seat, by attribute name."""


def _word_of(dtype: np.dtype[np.void], name: str) -> int:
    fields = dtype.fields
    assert fields is not None
    return int(fields[name][1]) // 8


TABLE_GAME_WORDS = _word_of(TABLE_DTYPE, "players")
"""64-bit words of the table that a game changes; the rules in numbers follow them."""
TABLE_GAME_FIELDS: tuple[str, ...] = tuple(TABLE_FIELDS)[: tuple(TABLE_FIELDS).index("players")]
"""What a game changes of the table, by attribute name."""
SEAT_GAME_WORDS = _word_of(SEAT_DTYPE, "hand")
"""64-bit words of a seat to be reset before a game; the hand follows them."""
