"""Does a strategy look at cards that it cannot know?

A game is played and every call of one seat's hooks is kept. Then each call is made again, by a copy of the
strategy that was loaded afresh and never saw the other seats, on records in which the hidden cards (the
pile and the other hands) have been dealt anew and everything else of the other seats is noise. A strategy
that answers from what it may see answers the same and writes the same.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import types

from beansim.engine import Arm, Bench, kernel
from beansim.engine.state import GAME_DTYPE
from beansim.strategy import HOOKS, Entrant
from beansim.strategy.base import StrategyMeta
from beansim.strategy.cache import compile_kept, engine_hash
from beansim.strategy.compiled import hook_address
from beansim.strategy.native import FOREIGN, call_address, records_cast
from beansim.strategy.reach import is_silent
from beansim.strategy.records import SEAT_DTYPE, SEAT_SLOTS

_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
_fields = GAME_DTYPE.fields
assert _fields is not None
_KEPT = int(_fields["tally"][1])
"""Bytes of the block that a call may depend on: all but the tallies, which are its last and largest part."""
WRITTEN = (*(slot.name for slot in SEAT_SLOTS if slot.writable), "memory", "stream")
"""Fields of the seat's record that its hooks write, the memory and the stream they draw from included."""
_WRITTEN_DTYPE = np.dtype([(name, SEAT_DTYPE[name]) for name in WRITTEN])
_fresh_numbers = itertools.count()

Block = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a hook.

    Attributes:
        hook, argument: what was asked.
        before: all records before the call.
        answer: the answer.
        after: what the hooks have written, after the call.
    """

    hook: int
    argument: int
    before: bytes
    answer: int
    after: bytes

    def written(self, name: str) -> np.ndarray[Any, Any]:
        """A field of the seat as it was after the call."""
        found: np.ndarray[Any, Any] = np.frombuffer(self.after, _WRITTEN_DTYPE)[name][0]
        return found


def record_calls(arm: Arm, seat: int, seed: int, deal: int) -> list[Call]:
    """Every hook call of one seat in a game with interpreted hooks, up to one that raised."""
    bench = Bench(arm, interpreted=True)
    entry = arm.seatings[0][seat]
    ask, calls = FOREIGN[bench.bound[entry, seat].address], []
    memory = bench.block.view(np.uint8).reshape(-1)

    def recorded(hook: int, argument: int) -> int:
        before = memory[:_KEPT].tobytes()
        answer = int(ask(hook, argument))
        calls.append(Call(hook, argument, before, answer, _written(bench.seats, seat)))
        return answer

    callback = _CALLBACK(recorded)
    bench.callbacks[entry, seat] = ctypes.cast(callback, ctypes.c_void_p).value or 0
    try:
        bench.run(seed, deal, 1, [0])
    finally:
        bench.close()
    return calls


def peeks(arm: Arm, seat: int, seed: int, deal: int) -> str:
    """Where the strategy of a seat gives itself away, in words; empty where it is blind.

    The compiled form is put to the same test, and so is compared with the interpreted one call by call.
    """
    calls = record_calls(arm, seat, seed, deal)
    for way, answers in _again(arm, seat, calls, seed):
        for call, (answer, after) in zip(calls, answers, strict=True):
            if answer != call.answer or after != call.after:
                wrote = _told_apart(call, answer, after)
                return f"{HOOKS[call.hook]} ({way}) {wrote} when only cards it cannot see had changed"
    return ""


def _told_apart(call: Call, answer: int, after: bytes) -> str:
    if answer != call.answer:
        return f"answered {answer}, not {call.answer},"
    now, then = np.frombuffer(after, _WRITTEN_DTYPE), np.frombuffer(call.after, _WRITTEN_DTYPE)
    names = [name for name in WRITTEN if now[name].tobytes() != then[name].tobytes()]
    return f"wrote another self.{names[0]}" if names else "wrote something else"


def _written(records: Block, seat: int) -> bytes:
    """What the hooks of a seat can have written; the engine's own fields beside it are no answer."""
    out = np.zeros(1, _WRITTEN_DTYPE)
    for name in WRITTEN:
        out[name] = records[name][seat]
    return out.tobytes()


_Answers = Iterator[tuple[int, bytes]]


def _again(arm: Arm, seat: int, calls: list[Call], seed: int) -> Iterator[tuple[str, _Answers]]:
    entrant = arm.lineup[arm.seatings[0][seat]]
    yield "interpreted", _interpreted_again(arm, seat, calls, seed)
    if entrant.compiled:
        yield "compiled", _compiled_again(entrant, seat, calls, seed)


def _interpreted_again(arm: Arm, seat: int, calls: list[Call], seed: int) -> _Answers:
    entry = arm.seatings[0][seat]
    lineup = tuple(loaded_afresh(item) if item.cls is arm.lineup[entry].cls else item for item in arm.lineup)
    bench = Bench(replace(arm, lineup=lineup), interpreted=True)
    ask, generator = FOREIGN[bench.bound[entry, seat].address], np.random.default_rng(seed)
    try:
        for call in calls:
            _put_back(bench.block, call.before, seat, generator)
            answer = int(ask(call.hook, call.argument))
            yield answer, _written(bench.seats, seat)
    finally:
        bench.close()


def _compiled_again(entrant: Entrant, seat: int, calls: list[Call], seed: int) -> _Answers:
    block, generator = np.zeros(1, GAME_DTYPE), np.random.default_rng(seed)
    words = block.view(np.uint8).view(np.uint64).reshape(1, -1)
    silent = [is_silent(entrant.cls, hook) for hook in HOOKS]
    for call in calls:
        _put_back(block, call.before, seat, generator)
        address = 0 if silent[call.hook] else hook_address(entrant.cls, HOOKS[call.hook])
        answer = int(_caller()(words, address, seat, call.argument)) if address else call.answer
        yield answer, _written(block["seats"][0], seat)


_ENTRY = """
def entry(words, address, seat, argument):
    g = block_of(words)[0]
    return call_address(address, g.table, g.seats[seat], argument)
"""


@functools.cache
def _caller() -> Any:
    """A compiled function that calls one compiled hook on a block."""
    signature = types.int64(types.uint64[:, ::1], types.int64, types.int64, types.int64)
    names = {"block_of": records_cast(kernel.GAME_BLOCK, GAME_DTYPE), "call_address": call_address}
    return compile_kept("caller", engine_hash(), _ENTRY, names, signature)


def loaded_afresh(entrant: Entrant) -> Entrant:
    """The same strategy from its file once more: a module of its own, nothing kept from games before."""
    package = entrant.cls.__module__.rpartition(".")[0]  # a packaged strategy may import its neighbours
    name = f"{package}.beansim_afresh_{entrant.path.stem}_{next(_fresh_numbers)}".lstrip(".")
    spec = importlib.util.spec_from_file_location(name, entrant.path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    finally:
        del sys.modules[name]
    cls = getattr(module, entrant.cls.__name__)
    assert isinstance(cls, StrategyMeta)
    return replace(entrant, cls=cls)


# --- dealing the hidden cards anew ------------------------------------------------------------


def _put_back(block: Block, before: bytes, seat: int, generator: np.random.Generator) -> None:
    """The records as they were, but for what the seat cannot know."""
    block.view(np.uint8).reshape(-1)[:_KEPT] = np.frombuffer(before, np.uint8)
    scramble(block, seat, generator)


def scramble(block: Block, seat: int, generator: np.random.Generator) -> None:
    """Deal all cards that `seat` cannot see anew, and put noise where the other seats think.

    Hand sizes, the pile's size and every public card stay as they are.
    """
    table, hidden = block["table"][0], block["hidden"][0]
    others = [other for other in range(int(table["players"])) if other != seat]
    seats = block["seats"][0]
    first = int(hidden["next_card"])
    places = [hidden["pile"][first : first + int(table["pile"])]]
    places += [_hand(seats[other]) for other in others]
    cards = generator.permutation(np.concatenate(places))
    for place in places:
        place[:], cards = cards[: len(place)], cards[len(place) :]
    for other in others:
        _recount(seats[other], int(table["kinds"]))
        _add_noise(seats[other], generator)
    hidden["stream"][:] = generator.integers(0, 2**63, len(hidden["stream"]))
    hidden["seed"] = generator.integers(0, 2**62)


def _hand(record: Any) -> Any:
    """The cards of a seat's hand, front card first (a view)."""
    front = int(record["hand_front"])
    return record["hand"][front : front + int(record["hand_count"])]


def _recount(record: Any, kinds: int) -> None:
    """Counts by kind that follow from the hand."""
    counts = np.bincount(_hand(record), minlength=kinds)
    record["held"][:kinds] = counts
    record["held_mask"] = sum(1 << kind for kind in range(kinds) if counts[kind])


def _add_noise(record: Any, generator: np.random.Generator) -> None:
    for name in ("worth", "loss", "memory"):
        record[name][:] = generator.normal(size=len(record[name]))
    for name in ("give", "take", "wish"):
        record[name][:] = generator.integers(0, 3, len(record[name]))
    record["stream"][:] = generator.integers(0, 2**63, len(record["stream"]))
