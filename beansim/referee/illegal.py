"""The error of an action that the rules do not allow."""

from __future__ import annotations

from beansim.errors import BeansimError


class IllegalAction(BeansimError):  # noqa: N818 - the name says what happened
    """An action that the rules refuse.

    Attributes:
        rule: the section, ambiguity or case that refuses it, such as ``"RULES 1.2 protection"``.
        requires: what the rules require instead, in one sentence.
    """

    def __init__(self, rule: str, requires: str) -> None:
        super().__init__(f"{rule}: {requires}")
        self.rule = rule
        self.requires = requires
