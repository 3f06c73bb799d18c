"""The compiled engine: `play` an `Arm`, get a `Batch`."""

from beansim.engine.batch import Arm, Batch, Bench, is_compiled, play, play_deck, warm
from beansim.engine.explain import describe_error

__all__ = ["Arm", "Batch", "Bench", "describe_error", "is_compiled", "play", "play_deck", "warm"]
