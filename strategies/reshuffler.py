"""The reshuffler minds the moment at which the discard pile comes back."""

from beansim.strategies.trader import Trader

from beansim.strategy import NONE, Table, hook, memory, param


class Reshuffler(Trader):
    """Trades as the trader does, and harvests right before (or right after) a run-out.

    Idea: cards discarded before a run-out are in the next pass, those discarded after it are not. Harvesting
    before brings a kind back that this seat can grow once more, harvesting after keeps it from everybody.
    Source: RULES A2 (only the discard pile is shuffled) and 5.5 (sizes of a pass).
    """

    before = param(True, 0, 1, "harvest before the run-out, not after it")
    near = param(6, 1, 30, "cards left in the pile from which on a run-out is near")
    patience = param(0.0, 0.0, 4.0, "coins that such a harvest may cost at most")
    passes = memory(0)

    def is_due(self, table: Table) -> bool:
        """Whether this is the moment; the last pass has no shuffle after it."""
        if self.before:
            return table.pile <= self.near and table.run_outs + 1 < table.last_run_out
        return table.run_outs > self.passes

    @hook
    def harvest_early(self, table: Table) -> int:
        """A field that pays and would lose little, when it is the moment."""
        if not self.is_due(table):
            return NONE
        for field in range(table.fields[self.seat]):
            if self.allowed[field] and self.loss[field] <= self.patience:
                if table.pay[table.field_kind[self.seat, field], table.field_cards[self.seat, field]] > 0:
                    return field
        self.passes = table.run_outs
        return NONE
