"""The strategies that come with beansim, importable: `from beansim.strategies.trader import Trader`.

The files lie in the top-level folder `strategies/` of the repository, and inside the package
when it is installed; this module makes either of them a package under one name.
"""

from beansim.bundled import bundled_folder

__path__ = [str(bundled_folder("strategies"))]
