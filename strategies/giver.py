"""The giver gives everything away."""

from beansim.strategy import NONE, OFFER, PASS, Strategy, Table, add, hook


class Giver(Strategy):
    """Gives every card away that anybody wants, for nothing, and takes none.

    Idea: the far end of generosity: what do the others make of a player who asks for nothing? It plants by
    its beanometers and is left with what nobody wants.
    Source: the limit of `generous` in the question whether to trade generously or to hold out.
    """

    @hook
    def announce(self, table: Table) -> int:
        """Put every card up as a gift, until nobody takes one."""
        mask = self.held_mask | table.revealed_mask
        if table.announcements > 0 or not table.gifts or not mask:
            return PASS
        add(self.give, self.held, mask)
        add(self.give, table.revealed, mask)
        self.wish_nothing = 1
        return OFFER

    @hook
    def choose_bid(self, table: Table) -> int:
        """The bid that takes most cards."""
        best, most = NONE, 0
        for step in range(1, table.players):
            seat = (self.seat + step) % table.players
            cards = 0
            for kind in range(table.kinds):
                cards += table.has_bid[seat] * table.bid_take[seat, kind]
            if cards > most:
                best, most = seat, cards
        return best

    @hook
    def bid(self, table: Table) -> int:
        """Pay every wished card it has, and take nothing for it."""
        mask = table.wished_mask & self.held_mask
        if not mask or not table.gifts:
            return PASS
        add(self.give, self.held, mask)
        return OFFER

    @hook
    def propose(self, table: Table) -> int:
        """Give the active seat every card that it grows."""
        mask = 0
        for field in range(table.fields[table.active]):
            kind = table.field_kind[table.active, field]
            if kind >= 0:
                mask |= 1 << kind
        mask &= self.held_mask
        if not mask or not table.gifts:
            return PASS
        add(self.give, self.held, mask)
        return OFFER

    @hook
    def accept(self, table: Table, partner: int) -> bool:
        """Yes to whoever gives nothing; it takes no cards."""
        return not table.offer_give_mask
