"""Computation of rankings, agreement, diagnosis, model selection and simulation, without Django.

The names in `MODULES` are the public interface, also as `from quintet import rank`. Each is loaded on first use, so that importing one
name loads only what it needs.
"""

from importlib import import_module
from typing import Any

#: Module of this package that defines each public name.
MODULES = {
    "BlockRow": "judged.blocks",
    "Blocks": "judged.blocks",
    "Chance": "agreement.statistics",
    "Correction": "ranges",
    "METHODS": "methods.registry",
    "Model": "simulation.model",
    "Pairing": "judged.collapsed_candidates",
    "Ranking": "rankings.rank",
    "alternative_annotator_test": "metrics.alternative_annotators",
    "blocks_from_rows": "judged.blocks",
    "measure_agreement": "agreement.measures",
    "map_shards": "sharding",
    "plan_budget": "simulation.budget",
    "rank": "rankings.rank",
    "ThisMachine": "sharding",
}


def __getattr__(name: str) -> Any:
    """Load a public name from the module that defines it."""
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)
