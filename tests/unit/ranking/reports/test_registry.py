"""Analyses that a module declares are registered."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module

import protocols
import ranking.reports.analyses
from ranking.reports.analyses.kind import AnalysisKind
from ranking.reports.analyses.registry import ANALYSES, TABLES


def _declared() -> Iterator[AnalysisKind]:
    """Yield the analyses of the modules of analyses, and of the reports of protocols."""
    for package in (ranking.reports.analyses, protocols):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if package is protocols and not module.name.endswith(".report"):
                continue
            for value in vars(import_module(module.name)).values():
                if isinstance(value, AnalysisKind):
                    yield value


def test_every_declared_analysis_is_registered() -> None:
    registered = [*ANALYSES.values(), *TABLES.values()]
    declared = [kind.name for kind in _declared()]
    assert len(declared) > len(registered) / 2
    missing = {kind.name for kind in _declared() if kind not in registered}
    assert missing == set()
