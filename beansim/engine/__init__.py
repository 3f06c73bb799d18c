"""The compiled engine: `play` an `Arm`, get a `Batch`."""

from beansim.engine.batch import Arm, Batch, Bench, is_compiled, play, play_deck, warm
from beansim.engine.explain import describe_error
from beansim.engine.lost import LostGame, play_around

__all__ = [
    "Arm",
    "Batch",
    "Bench",
    "LostGame",
    "describe_error",
    "is_compiled",
    "play",
    "play_around",
    "play_deck",
    "warm",
]
