"""Computation of rankings, agreement, diagnosis, model selection and simulation, without Django.

In a notebook:

    from ranking.core import BlockRow, blocks_from_rows, measure_agreement, rank

The names below are the public interface. Each is loaded on first use, so that importing one name
loads only what it needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ranking.core.agreement.measures import measure_agreement as measure_agreement
    from ranking.core.judged.blocks import BlockRow as BlockRow
    from ranking.core.judged.blocks import Blocks as Blocks
    from ranking.core.judged.blocks import blocks_from_rows as blocks_from_rows
    from ranking.core.methods.registry import METHODS as METHODS
    from ranking.core.rankings.rank import Ranking as Ranking
    from ranking.core.rankings.rank import rank as rank
    from ranking.core.sharding import ThisMachine as ThisMachine
    from ranking.core.sharding import map_shards as map_shards

#: Module of this package that defines each public name.
_MODULES = {
    "BlockRow": "judged.blocks",
    "Blocks": "judged.blocks",
    "METHODS": "methods.registry",
    "Ranking": "rankings.rank",
    "blocks_from_rows": "judged.blocks",
    "measure_agreement": "agreement.measures",
    "map_shards": "sharding",
    "rank": "rankings.rank",
    "ThisMachine": "sharding",
}

__all__ = list(_MODULES)


if not TYPE_CHECKING:  # type checkers know only the names above

    def __getattr__(name: str) -> Any:
        """Load a public name from the module that defines it."""
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    """Return all names of the module, public names included."""
    return sorted({*globals(), *_MODULES})
