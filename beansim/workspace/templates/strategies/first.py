"""A first strategy, to be changed."""

from beansim.strategy import Strategy, Table, hook, param


class First(Strategy):
    """Values a card by the coins a card to the next step of its beanometer.

    Idea: say here why this should win.
    Source: say here where the idea comes from.
    """

    # A parameter: default, least and greatest value, meaning. In a line-up: first:patience=2
    patience = param(1.0, 0.0, 4.0, "coins that a card costs for which a field must be cleared")

    # What appraise looks at: "fields" (own fields and cards received), "hand", "steps" (which steps of
    # the beanometers the cards in play can still reach), "coined" (cards out of play as coins),
    # "table" (anything). It runs again only when one of these has changed.
    watches = ("fields",)

    @hook
    def appraise(self, table: Table) -> None:
        """Write what one more card of each kind is worth to this seat now, in coins, to self.worth.

        All other hooks follow from it. A kind worth less than 0 is a burden: it is traded or given
        away where somebody takes it.
        """
        for kind in range(table.kinds):
            cards = self.planted(table, kind)
            # slope[kind, cards]: coins a card from so many cards to the next step of the beanometer
            self.worth[kind] = table.slope[kind, max(cards, 0)]
            if cards < 0:  # no field takes it: one has to be cleared
                self.worth[kind] -= self.patience
        for field in range(table.fields[self.seat]):
            # what is lost with this field when room is needed: the field that loses least goes first
            kind, cards = table.field_kind[self.seat, field], table.field_cards[self.seat, field]
            self.loss[field] = table.slope[kind, cards] if kind >= 0 else 0.0

    def planted(self, table: Table, kind: int) -> int:
        """Cards of a kind in this seat's fields and set aside; -1 where no field takes the kind."""
        aside: int = table.aside[self.seat, kind]
        cards = 0 if aside else -1
        for field in range(table.fields[self.seat]):
            if table.field_kind[self.seat, field] == kind:
                cards = table.field_cards[self.seat, field]
                break
            if table.field_kind[self.seat, field] < 0:
                cards = 0
        return cards + aside

    # Any hook can be overridden; `beansim strategies first` lists them all. For example:
    #
    # @hook
    # def plant_second(self, table: Table, kind: int) -> bool:
    #     """Plant the new front card, of this kind, too?"""
    #     return self.worth[kind] > 0.25
