"""Table, hand and parameters cannot be written: not by compiled hooks, not by interpreted ones."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from beansim.checking.tables import rules_of, table_of
from beansim.engine import play, status
from beansim.errors import StrategyError
from beansim.strategy import Entrant
from beansim.strategy.compiled import hook_address

WRITES = {
    "coins": "table.coins[0] = 100",
    "a field": "table.field_cards[0, 0] = 9",
    "a number of the table": "table.pile = 0",
    "the hand": "self.hand[0] = 1",
    "cards held": "self.held[0] = 9",
    "allowed fields": "self.allowed[0] = 1",
    "a parameter": "self.margin = 2.0",
    "the seat": "self.seat = 1",
    "a constant": "self.bonus = 2.0",
}

TEXT = '''
class Mine(Strategy):
    """Writes what it may not."""

    {compiled}
    margin = param(0.5, 0.0, 9.0, "coins")
    bonus = 1.0

    @hook
    def plant_second(self, table, kind):
        {write}
        return True
'''


@pytest.mark.parametrize("what", WRITES)
def test_a_compiled_hook_cannot_write_it(what: str, written: Callable[..., Entrant]) -> None:
    entrant = written(TEXT.format(write=WRITES[what], compiled=""))
    with pytest.raises(StrategyError, match=r"mine\.py:\d+: Mine\.plant_second") as error:
        hook_address(entrant.cls, "plant_second")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("what", sorted(set(WRITES) - {"a constant"}))
def test_an_interpreted_hook_cannot_write_it(what: str, written: Callable[..., Entrant]) -> None:
    """On an object of ordinary Python everything else is its own affair."""
    entrant = written(TEXT.format(write=WRITES[what], compiled="compiled = False"))
    batch = play(table_of(rules_of("base", 3), (entrant, "hermit", "hermit")), 1, 0, 1)
    assert batch.games["status"][0] == status.RAISED
    assert isinstance(batch.errors[0], TypeError | AttributeError)


@pytest.mark.parametrize("compiled", ["", "compiled = False"])
def test_what_is_its_own_can_be_written(compiled: str, written: Callable[..., Entrant]) -> None:
    text = """
    class Mine(Strategy):
        \"\"\"Keeps notes.\"\"\"

        {compiled}
        asked = memory(0)
        seen = memory(0.5, 8)

        @hook
        def plant_second(self, table, kind):
            self.asked += 1
            self.seen[kind] += self.asked
            return self.seen[kind] > 20.0
    """
    entrant = written(text.format(compiled=compiled))
    arm = table_of(rules_of("base", 3), (entrant,) * 3)
    one, two = play(arm, 1, 0, 4), play(arm, 1, 0, 4, interpreted=True)
    assert one.seats["second_plants"].sum() > 0
    assert (one.seats == two.seats).all()
