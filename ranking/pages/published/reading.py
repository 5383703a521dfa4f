"""Read the content of a published result."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from ranking.models import RankingRun

Content = Mapping[str, Any]


def run_of(content: Content) -> RankingRun:
    """Return the frozen ranking as a run that is not stored, with the names of the content.

    What puts runs into words puts it into words, too.
    """
    method, ranking = content["method"], content["ranking"]
    return RankingRun(
        method=method["name"],
        parameters=method["parameters"],
        seed=int(method["seed"]),
        watermark=method["watermark"],
        code_version=method["code_version"],
        finished_at=moment_of(method["computed_at"]),
        result={**ranking, "agreement": content["agreement"]},
    )


def moment_of(text: str) -> datetime:
    """Return a moment as content writes it."""
    return datetime.fromisoformat(text)


def day_of(text: str | None) -> date | None:
    """Return a day as content writes it."""
    return None if text is None else date.fromisoformat(text)


def withdrawn_in(content: Content) -> frozenset[str]:
    """Return the names of systems that were withdrawn."""
    return frozenset(each["system"] for each in content["systems"] if each["is_withdrawn"])
