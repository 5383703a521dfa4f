"""Agreement of judges in stored results: a row of numbers a judge, without names of fields.

The names would be two thirds of what a run of sixty judges takes in the database.
"""

from collections.abc import Sequence
from typing import Any, Final

_FIELDS: Final = (
    "judge",
    "blocks",
    "comparisons",
    "ties",
    "comparable",
    "agreeing",
    "kappa",
    "low",
    "high",
    "p_chance",
    "reason",
    "no_interval",
)


def packed(result: Any) -> Any:
    """Return a result as it is stored."""
    rows = [[row[name] for name in _FIELDS] for row in _judges_of(result)]
    return _with_judges(result, rows) if rows else result


def unpacked(result: Any) -> Any:
    """Return a result as it was computed, from the output of `packed`."""
    judges = [_named(row) for row in _judges_of(result)]
    return _with_judges(result, judges) if judges else result


def _judges_of(result: Any) -> list[Any]:
    agreement = result.get("agreement") if isinstance(result, dict) else None
    return agreement.get("judges", []) if isinstance(agreement, dict) else []


def _with_judges(result: dict[str, Any], judges: Sequence[Any]) -> dict[str, Any]:
    return result | {"agreement": result["agreement"] | {"judges": judges}}


def _named(row: Sequence[Any]) -> dict[str, Any]:
    named = dict(zip(_FIELDS, row, strict=True))
    comparable = named["comparable"]
    return named | {"p_agree": named["agreeing"] / comparable if comparable else None}
