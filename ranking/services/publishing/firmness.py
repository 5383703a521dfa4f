"""How firm first place is in the ranking that is published: an answer of the analysis `firmness`, of the same judgments.

To find it may take half a minute, so nothing here computes it: an answer that is there is taken, and a worker is
asked for one that is not.
"""

from collections.abc import Mapping
from typing import Any, Final

from campaign.models import Task, User
from ranking.analyses import OptionError
from ranking.core.methods.registry import METHODS
from ranking.models import Analysis, RankingRun
from ranking.models.analysis import AnalysisQuerySet
from ranking.selectors.chosen_judgments import judgments_of_run
from ranking.services.analyses import analysis_ask, analysis_choice
from ranking.services.publishing.answers import answers_about

_KIND: Final = "firmness"


def frozen_firmness(run: RankingRun, labels: Mapping[str, str]) -> dict[str, Any] | None:
    """Return how many judgments decide first place, as it is frozen; None while that is not known.

    Judges and segments of the judgments that decide are left out: they are about people.
    """
    analysis = _of(run).finished().order_by("-pk").first()
    if analysis is None or analysis.data is None:
        return None
    found = analysis.data["first_place"]
    new = found["new_first"]
    return {
        "method": analysis.data["method"],
        "judgments": found["judgments"],
        "deciding": found["deciding"],
        "at_least": found["at_least"],
        "proof": found["proof"],
        # Not in the order of names, which would tell names.
        "first": sorted(labels[name] for name in found["first"]),
        "new_first": None if new is None else labels[new],
    }


def firmness_is_known(run: RankingRun) -> bool:
    """Return whether a result of a ranking would have it. One query."""
    return _of(run).finished().exists()


def firmness_ask(
    *, task: Task, run: RankingRun, by: User | None, is_queued: bool = True
) -> Analysis | None:
    """Have a worker find out how firm first place is in a ranking, unless that is known or asked.

    With `is_queued` false it is left to `analysis_compute`. What failed or was stopped is not tried again.

    Returns None where the method of the ranking has no such answer, or groups that nothing compares have no common first place.
    """
    known = _of(run).select_related("job", "task").order_by("-finished_at", "-pk").first()
    if known is not None and (known.finished_at is not None or (is_queued and has_failed(known))):
        return known
    if run.parameters["method_parameters"] != METHODS[run.method].defaults:
        return None
    if len(run.result["groups"]) > 1:
        return None
    group = run.parameters.get("judge_group")
    asked = {"method": run.method} | ({} if group is None else {"judge_group": group["name"]})
    try:
        choice = analysis_choice(_KIND, asked)
    except OptionError:
        return None
    return analysis_ask(
        task=task,
        choice=choice,
        user=by,
        watermark=run.watermark,
        judgments=judgments_of_run(run),
        is_queued=is_queued,
    )


def has_failed(analysis: Analysis) -> bool:
    """Return whether no answer will come."""
    return analysis.finished_at is None and analysis.job is not None and analysis.job.has_ended


def _of(run: RankingRun) -> AnalysisQuerySet:
    """Select the answers about the judgments of a run, by its method."""
    return answers_about(run, kind=_KIND).filter(choice__method=run.method)
