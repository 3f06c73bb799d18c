"""Opponents whose every move is written down, for traces of what a strategy does against them."""

from beansim.strategy import NONE, OFFER, PASS, Strategy, hook, silent


class Quiet(Strategy):
    """Never trades."""

    compiled = False
    announce = bid = propose = accept = choose_bid = silent

    def first(self, row, kinds):
        """The first kind with a card in a row."""
        return next((kind for kind in range(kinds) if row[kind]), NONE)


class Beggar(Quiet):
    """Asks the active seat for the first revealed card, for nothing."""

    @hook
    def propose(self, table):
        want = self.first(table.revealed, table.kinds)
        if want == NONE:
            return PASS
        self.take[want] = 1
        return OFFER


class Donor(Quiet):
    """Offers its front card for nothing."""

    cards = 1

    @hook
    def propose(self, table):
        if self.hand_count < self.cards:
            return PASS
        for place in range(self.cards):
            self.give[self.hand[place]] += 1
        return OFFER


class Swapper(Donor):
    """Offers its front card for the first revealed one."""

    @hook
    def propose(self, table):
        want = self.first(table.revealed, table.kinds)
        if want == NONE:
            return PASS
        self.take[want] = 1
        return Donor.propose(self, table)


class Bundler(Swapper):
    """Offers its two front cards for the first revealed one."""

    cards = 2


class Bidder(Quiet):
    """Takes all that is put up and pays the first wished card it has; takes gifts."""

    @hook
    def bid(self, table):
        for kind in range(table.kinds):
            self.take[kind] = table.put_up[kind]
        if table.wish_nothing:
            return OFFER
        for kind in range(table.kinds):
            if table.wished[kind] and self.held[kind]:
                self.give[kind] = 1
                return OFFER
        return PASS


class Auctioneer(Quiet):
    """Puts the revealed cards up, once, for any card; closes the first bid."""

    gift = 0

    @hook
    def announce(self, table):
        if table.announcements or not table.revealed_mask:
            return PASS
        for kind in range(table.kinds):
            self.give[kind] = table.revealed[kind]
            self.wish[kind] = 1 - self.gift
        self.wish_nothing = self.gift
        return OFFER

    @hook
    def choose_bid(self, table):
        for step in range(1, table.players):
            seat = (self.seat + step) % table.players
            if table.has_bid[seat]:
                return seat
        return NONE


class Santa(Auctioneer):
    """Gives the revealed cards away, once."""

    gift = 1


class Wisher(Auctioneer):
    """Asks for any card, for nothing, once in a turn."""

    @hook
    def announce(self, table):
        if table.announcements or table.phase != 2:
            return PASS
        for kind in range(table.kinds):
            self.wish[kind] = 1
        return OFFER


class Friend(Auctioneer, Donor):
    """Offers its front card for nothing, and auctions in its own turn."""


class Cadger(Donor):
    """Asks for a revealed card for nothing; where there is none left, offers its front card."""

    @hook
    def propose(self, table):
        return Beggar.propose(self, table) if table.turn == 1 else Donor.propose(self, table)
