"""Random play: uniform over the legal choices."""

from beansim.strategy import NONE, OFFER, PASS, Strategy, Table, hook, lowest, param, silent


class Random(Strategy):
    """Plants, harvests and trades at random.

    Idea: the baseline without any thought, and the player that reaches every corner of the rules
    (tests against the referee lean on it).
    Source: none needed; copies of it win 1 in n by symmetry.
    """

    talk = param(0.5, 0.0, 1.0, "chance of making an offer when asked for one")

    appraise = silent

    def pick_allowed(self, table: Table) -> int:
        """One of the allowed fields."""
        count = 0
        for field in range(table.fields[self.seat]):
            count += self.allowed[field]
        chosen = self.random(count)
        for field in range(table.fields[self.seat]):
            if self.allowed[field]:
                if chosen == 0:
                    return field
                chosen -= 1
        return NONE

    @hook
    def plant_second(self, table: Table, kind: int) -> bool:
        """Toss a coin."""
        return self.random(2) == 1

    @hook
    def choose_field(self, table: Table, kind: int) -> int:
        """Any allowed field."""
        return self.pick_allowed(table)

    @hook
    def choose_harvest(self, table: Table, kind: int) -> int:
        """Any allowed field."""
        return self.pick_allowed(table)

    @hook
    def harvest_early(self, table: Table) -> int:
        """Rarely, any allowed field."""
        return self.pick_allowed(table) if self.random(20) == 0 else NONE

    @hook
    def buy_field(self, table: Table) -> bool:
        """Toss a coin."""
        return self.random(2) == 1

    @hook
    def plant_next(self, table: Table) -> int:
        """Any kind that must be planted."""
        pending = self.pending(table)
        kinds = 0
        for kind in range(table.kinds):
            kinds += pending >> kind & 1
        for _ in range(self.random(kinds)):
            pending &= pending - 1
        return lowest(pending)

    @hook
    def announce(self, table: Table) -> int:
        """Put up one or two cards at random for kinds at random; sometimes give, sometimes beg."""
        if self.uniform() >= self.talk:
            return PASS
        cards = self.random(3)
        for _ in range(cards):
            kind = self.random(table.kinds)
            if self.available(table, kind) > self.give[kind]:
                self.give[kind] += 1
        put_up = 0
        for kind in range(table.kinds):
            put_up += self.give[kind]
            self.wish[kind] = self.random(2)
        if put_up > 0 and table.gifts and self.random(4) == 0:
            self.wish_nothing = 1
        self.wish[self.random(table.kinds)] = 1
        return OFFER if put_up > 0 or table.gifts else PASS

    @hook
    def bid(self, table: Table) -> int:
        """Take some of the cards put up and pay some wished ones."""
        if self.uniform() >= self.talk:
            return PASS
        taken, paid = 0, 0
        for kind in range(table.kinds):
            self.take[kind] = self.random(table.put_up[kind] + 1)
            taken += self.take[kind]
            if table.wished[kind] and self.held[kind] and self.random(2) == 0:
                self.give[kind] = 1
                paid += 1
        if paid == 0 and (taken == 0 or not table.wish_nothing):
            return PASS
        return OFFER if table.gifts or (paid and taken) else PASS

    @hook
    def choose_bid(self, table: Table) -> int:
        """Any bid, or none."""
        start = self.random(table.players)
        for step in range(table.players):
            seat = (start + step) % table.players
            if seat == self.seat:
                return NONE
            if table.has_bid[seat]:
                return seat
        return NONE

    @hook
    def propose(self, table: Table) -> int:
        """One hand card at random, for nothing, one or two kinds at random."""
        if self.uniform() >= self.talk or self.hand_count == 0:
            return PASS
        gives = self.random(4) > 0
        if gives:
            self.give[self.hand[self.random(self.hand_count)]] = 1
        takes = self.random(3)
        for _ in range(takes):
            self.take[self.random(table.kinds)] = 1
        if not table.gifts:
            return OFFER if gives and takes else PASS
        return OFFER if gives or takes else PASS

    @hook
    def accept(self, table: Table, partner: int) -> bool:
        """Toss a coin."""
        return self.random(2) == 1

    @hook
    def choose_offered(self, table: Table) -> int:
        """Any kind on offer."""
        return self.pick_revealed(table)

    @hook
    def plant_offered(self, table: Table, kind: int) -> bool:
        """Toss a coin."""
        return self.random(2) == 1

    @hook
    def discard_hand(self, table: Table) -> int:
        """Any card of the hand, or none."""
        return self.random(self.hand_count + 1) - 1

    @hook
    def plant_turned(self, table: Table) -> int:
        """Any kind turned up, or no more."""
        return NONE if self.random(3) == 0 else self.pick_revealed(table)

    def pick_revealed(self, table: Table) -> int:
        """One of the kinds that lie turned up."""
        kinds = 0
        for kind in range(table.kinds):
            kinds += table.revealed[kind] > 0
        chosen = self.random(kinds)
        for kind in range(table.kinds):
            if table.revealed[kind]:
                if chosen == 0:
                    return kind
                chosen -= 1
        return NONE

    @hook
    def give_copy(self, table: Table, kind: int) -> int:
        """Any copy: the revealed one or one in hand."""
        mine = table.active == self.seat and table.revealed[kind] > 0
        chosen = self.random(self.held[kind] + mine)
        if mine and chosen == self.held[kind]:
            return NONE
        for position in range(self.hand_count):
            if self.hand[position] == kind:
                if chosen == 0:
                    return position
                chosen -= 1
        return NONE
