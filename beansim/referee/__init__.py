"""The referee: the rules a second time, in plain Python, independent of the compiled engine.

It imports `beansim.rules` and `beansim.errors` alone. `Game` plays any position action by action,
`replay_lines` judges recorded games, `parse_position` and `format_position` read and write positions.
"""

from beansim.referee.actions import Action, BuyField, Discard, Draw, EndPhase, Harvest, Plant, Reveal, Shuffle
from beansim.referee.game import Game
from beansim.referee.illegal import IllegalAction
from beansim.referee.position import Position, SeatPosition, format_position
from beansim.referee.position_reader import parse_position, read_position
from beansim.referee.record import RecordError, bounded_lines, read_choice
from beansim.referee.replay import Departure, Replay, Verdict, replay_events, replay_lines
from beansim.referee.trade import Card, Trade

__all__ = [
    "Action",
    "BuyField",
    "Card",
    "Departure",
    "Discard",
    "Draw",
    "EndPhase",
    "Game",
    "Harvest",
    "IllegalAction",
    "Plant",
    "Position",
    "RecordError",
    "Replay",
    "Reveal",
    "SeatPosition",
    "Shuffle",
    "Trade",
    "Verdict",
    "bounded_lines",
    "format_position",
    "parse_position",
    "read_choice",
    "read_position",
    "replay_events",
    "replay_lines",
]
