"""The leveller never feeds the leader."""

from beansim.strategies._choosy import Choosy

from beansim.strategy import Table, param


class Leveller(Choosy):
    """Trades as the trader does, but not with a seat that is ahead of it and of all others.

    Idea: only one seat wins, so what a deal gives to the leader counts against it. The leader is who has
    most coins in hand and in fields ripe for harvest, all of it public.
    Source: the advice for any game of trade with one winner, "do not deal with the leader"; whether that
    pays is a question of experiments/leader.toml.
    """

    lead = param(2, 0, 20, "coins by which a seat must be ahead of this one to be refused")

    def deals_with(self, table: Table, seat: int) -> bool:
        """Not with a seat that leads this one by `lead` and is behind nobody."""
        theirs = self.standing(table, seat)
        if theirs < self.standing(table, self.seat) + self.lead:
            return True
        for other in range(table.players):
            if self.standing(table, other) > theirs:
                return True
        return False

    def standing(self, table: Table, seat: int) -> int:
        """Coins of a seat if all its fields were harvested now."""
        coins = table.coins[seat]
        for field in range(table.fields[seat]):
            kind = table.field_kind[seat, field]
            if kind >= 0:
                coins += table.pay[kind, table.field_cards[seat, field]]
        return coins
