"""Answers of analyses that are frozen with a ranking: how firm first place is, and how far judges agree with themselves.

To find the first may take half a minute, so nothing here computes it: an answer that is there is taken, and a worker is
asked for one that is not. The ranking that is kept up to date does not compute the second either, so an answer that
somebody asked for is taken.
"""

from collections.abc import Mapping
from typing import Any, Final

from campaign.models import Task, User
from ranking.analyses import OptionError
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.core.methods.registry import METHODS
from ranking.models import Analysis, RankingRun
from ranking.models.analysis import AnalysisQuerySet
from ranking.selectors.chosen_judgments import judgments_of_run
from ranking.services.analyses import analysis_ask, analysis_choice


def answers_about(run: RankingRun, *, kind: str) -> AnalysisQuerySet:
    """Select the answers of a kind of analysis about exactly the judgments of a run."""
    judgments = judgments_of_run(run).recorded
    same = ("systems", "with_reference", "without", "documents")
    return Analysis.objects.of(run.task_id).filter(
        kind=kind,
        watermark=run.watermark,
        **{f"judgments__{name}": judgments[name] for name in same},
    )


_FIRMNESS: Final = "firmness"


def frozen_firmness(run: RankingRun, labels: Mapping[str, str]) -> dict[str, Any] | None:
    """Return how many judgments decide first place, as it is frozen; None while that is not known.

    Judges and segments of the judgments that decide are left out: they are about people.
    """
    analysis = _firmness_of(run).finished().order_by("-pk").first()
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
    return _firmness_of(run).finished().exists()


def firmness_ask(
    *, task: Task, run: RankingRun, by: User | None, is_queued: bool = True
) -> Analysis | None:
    """Have a worker find out how firm first place is in a ranking, unless that is known or asked.

    With `is_queued` false it is left to `analysis_compute`. What failed or was stopped is not tried again.

    Returns None where the method of the ranking has no such answer, or groups that nothing compares have no common first place.
    """
    known = _firmness_of(run).select_related("job", "task").order_by("-finished_at", "-pk").first()
    if known is not None and (known.finished_at is not None or (is_queued and has_failed(known))):
        return known
    if run.parameters["method_parameters"] != METHODS[run.method].defaults:
        return None
    if len(run.result["groups"]) > 1:
        return None
    group = run.parameters.get("judge_group")
    asked = {"method": run.method} | ({} if group is None else {"judge_group": group["name"]})
    try:
        choice = analysis_choice(_FIRMNESS, asked)
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


def _firmness_of(run: RankingRun) -> AnalysisQuerySet:
    """Select the answers about the judgments of a run, by its method."""
    return answers_about(run, kind=_FIRMNESS).filter(choice__method=run.method)


_FROZEN: Final = ("kappa", "p_agree", "p_chance", "agreeing", "comparable")
#: What an interval of κ depends on.
_INTERVAL: Final = ("resample", "confidence")


def frozen_self_agreement(run: RankingRun) -> dict[str, Any] | None:
    """Return κ of judges with themselves, by the chance of κ between judges; None where it is not known.

    The ends of its interval are None where the answer has an interval of another kind than that of κ between judges.
    """
    chance = run.result["agreement"]["chance"]
    analysis = (
        answers_about(run, kind="agreement")
        .finished()
        .filter(choice__chance=chance, choice__pairing=Pairing.UNORDERED.value)
        .order_by("-pk")
        .first()
    )
    if analysis is None or analysis.data is None:
        return None
    intra = analysis.data["intra"]
    if intra["kappa"] is None:
        return None
    same = all(analysis.choice.get(name) == run.parameters["agreement"][name] for name in _INTERVAL)
    ends = {name: intra[name] if same else None for name in ("low", "high")}
    return {"chance": chance, **{name: intra[name] for name in _FROZEN}, **ends}
