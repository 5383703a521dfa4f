"""A system with its wins and losses, and a segment with its judgments."""

from collections.abc import Mapping
from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from annotation.pages.judgment_tables import JudgmentTable
from annotation.pages.systems import system_details
from annotation.protocols import answer_kind
from annotation.selectors.corrections import correctable_outputs, corrections_listed
from campaign.models import SystemKind, Task, User
from campaign.texts.languages import language_described
from campaign.views.access import joined_task, of_task, organised_task
from campaign.views.decorators import page_view
from ranking.analyses.kind import AnalysisChoice
from ranking.analyses.options import OptionError
from ranking.models import Analysis
from ranking.pages.formats import Addresses
from ranking.pages.one_system import SENTENCES_AT_ONCE, sentences, standing_table, system_words
from ranking.pages.report_shown import shown_tables
from ranking.reports import Report
from ranking.selectors.analyses import Answered, answer_for_people, answered
from ranking.selectors.one_system import (
    MOST,
    NamedSystem,
    SystemStanding,
    segment_judged,
    system_standing,
    systems_by_name,
)
from ranking.selectors.runs import judges_not_counted
from ranking.services.analyses import analysis_ask, analysis_choice

#: Asked again by itself once this share of judgments is new.
GROWTH = 0.02


@page_view
def system_results_page(
    request: HttpRequest, slug: str, task_id: int, system_id: int
) -> HttpResponse:
    """Show a system. A worker computes the parts that need all comparisons; the page requests them itself."""
    task = organised_task(request, slug, task_id)
    page = _Page(task, system_id)
    answer = page.answer()
    if request.headers.get("HX-Request"):
        return page.part(request, answer)
    system = get_object_or_404(task.test_set.systems, pk=system_id)
    system.test_set = task.test_set
    context = page.context(answer) | {"asks": page.asks(answer)} | system_details(task, system)
    return render(request, "results/system.html", context)


@require_POST
@never_cache
@login_required
def system_results_ask(
    request: HttpRequest, slug: str, task_id: int, system_id: int
) -> HttpResponse:
    """Have a worker analyse a system. Members with read access may request it, too: it changes nothing."""
    task = joined_task(request, slug, task_id)
    page = _Page(task, system_id)
    if page.choice is not None:
        try:
            analysis_ask(task=task, choice=page.choice, user=cast("User", request.user))
        except OptionError:
            # Nothing was judged yet, or a group was deleted since the ranking.
            page.choice = None
    if not request.headers.get("HX-Request"):
        return redirect("system-results", slug, task_id, system_id)
    return page.part(request, page.answer())


class _Page:
    """A system of a test set, as the present ranking has it."""

    def __init__(self, task: Task, system_id: int) -> None:
        self.task = task
        self.systems = systems_by_name(task_id=task.pk)
        found = [(name, each) for name, each in self.systems.items() if each.pk == system_id]
        if not found:
            raise Http404
        self.name, self.system = found[0]
        self.standing = system_standing(task=task, name=self.name)
        self.choice = _choice(self.name, self.system, self.systems, self.standing)

    def answer(self) -> Answered | None:
        """Return the newest answer of the analysis; None where there is nothing to ask."""
        if self.choice is None:
            return None
        return answered(task=self.task, choice_digest=self.choice.digest)

    def asks(self, answer: Answered | None) -> bool:
        """Return whether the page asks by itself: unless the answer is there, or there is none."""
        if answer is None or self.standing is None:
            return False
        if answer.pending is not None:
            # It is being computed, or it was refused or stopped.
            return False
        shown = answer.shown
        if shown is None:
            return True
        counted = set(judges_not_counted(self.standing.parameters))
        return answer.newer > GROWTH * shown.watermark or set(shown.judgments["without"]) != counted

    def part(self, request: HttpRequest, answer: Answered | None) -> HttpResponse:
        """Return the progress of a worker, or all that is known so far."""
        if answer is not None and answer.is_awaited:
            return render(request, "results/_progress.html", self.context_of_progress(answer))
        response = render(request, "results/_system.html", self.context(answer))
        # It takes the place of all that is known so far, not only of the progress.
        response["HX-Retarget"], response["HX-Reswap"] = "#system-results", "outerHTML"
        return response

    def context_of_progress(self, answer: Answered | None) -> dict[str, Any]:
        """Return the context while a worker is computing."""
        return {
            "campaign": self.task.test_set.campaign,
            "task": self.task,
            "system_id": self.system.pk,
            "job": answer.pending.job if answer is not None and answer.pending else None,
            "is_awaited": answer is not None and answer.is_awaited,
        }

    def tables(self, answer: Analysis | None, addresses: Addresses) -> dict[str, Any]:
        """Return the tables of the answer, and its notes; before it is there, the opponents alone."""
        of = [self.task.test_set.campaign.slug, self.task.pk]
        if answer is None:
            known = self.standing if self.standing and self.standing.opponents else None
            report = Report(
                tables=[] if known is None else [standing_table(self.name, known)], data={}
            )
        else:
            of.append(answer.pk)
            report = answer_for_people(answer)
        tables = shown_tables(
            report,
            # The sentences are shown with their texts.
            without=frozenset({"clearly_lost", "clearly_won"}),
            addresses=addresses,
            file_address=None
            if answer is None
            else lambda name, ending: reverse("analysis-plot", args=[*of, name, ending]),
        )
        return {"tables": tables, "notes": report.sentences}

    def context(self, answer: Answered | None) -> dict[str, Any]:
        """Return all that is known so far."""
        shown = None if answer is None else answer.shown
        data = None if shown is None else shown.data
        standing = self.standing
        addresses = Addresses(self.task, systems=self.systems)
        context = self.context_of_progress(answer) | {
            "section": "systems",
            "name": self.name,
            "is_withdrawn": self.system.is_withdrawn,
            "words": system_words(self.name, standing, data),
            "answer": answer,
            "shown": shown,
            "neighbours": _neighbours(self.name, standing, addresses),
            "at_once": SENTENCES_AT_ONCE,
            "lost_address": addresses.judgments(system=self.name, outcome="lost"),
            "won_address": addresses.judgments(system=self.name, outcome="won"),
            "source": language_described(self.task.test_set.source_language),
            "target": language_described(self.task.test_set.target_language),
        }
        context |= self.tables(shown, addresses)
        if data is not None:
            clear = data["lost_most_clearly"], data["won_most_clearly"]
            texts = sentences(
                self.name,
                [*clear[0], *clear[1]],
                task=self.task,
                addresses=addresses,
            )
            context |= {
                "lost": texts[: len(clear[0])],
                "won": texts[len(clear[0]) :],
                "fewest": data["compared_at_least"],
            }
        return context


def _choice(
    name: str,
    system: NamedSystem,
    systems: Mapping[str, NamedSystem],
    standing: SystemStanding | None,
) -> AnalysisChoice | None:
    """Return the question of the page, of the judgments that the ranking counts; None if there is none to ask."""
    if standing is None or system.kind == SystemKind.BAD_REFERENCE:
        return None
    references = {name for name, each in systems.items() if each.kind == SystemKind.REFERENCE}
    left_out = set(standing.parameters.get("left_out", ()))
    is_ranked = bool(references - left_out)
    group = standing.parameters.get("judge_group")
    given: dict[str, Any] = {"system": name}
    if is_ranked or name in references:
        given["reference"] = "include"
    if group:
        given["judge_group"] = group["name"]
    return analysis_choice("system", given)


def _neighbours(
    name: str, standing: SystemStanding | None, addresses: Addresses
) -> dict[str, tuple[str, str | None]]:
    """Return the systems before and after in the ranking, each with its page."""
    names = [] if standing is None else [row["system"] for row in standing.systems]
    if name not in names:
        return {}
    place = names.index(name)
    found = {}
    if place > 0:
        found["before"] = (names[place - 1], addresses.system(names[place - 1]))
    if place + 1 < len(names):
        found["after"] = (names[place + 1], addresses.system(names[place + 1]))
    return found


@page_view
def segment_page(request: HttpRequest, slug: str, task_id: int, number: int) -> HttpResponse:
    """Show a segment of a test set by its number."""
    task = organised_task(request, slug, task_id)
    found = segment_judged(task=task, number=number)
    if found is None:
        raise Http404
    segment = found["segment"]
    addresses = Addresses(task, compares_outputs=answer_kind(task.protocol).compares_outputs)
    context = {
        **of_task(task, "texts"),
        "found": found,
        "most": MOST,
        "outputs": [
            (output, [(name, addresses.system(name)) for name in output.systems])
            for output in found["outputs"]
        ],
        "table": JudgmentTable(found["judgments"], task=task, shown=found["shown"]),
        "correctable": correctable_outputs(segment_id=segment.pk),
        "corrections": corrections_listed(task=task).filter(before__segment=segment),
        "document_address": addresses.judgments(document=segment.document.name),
        "source": language_described(task.test_set.source_language),
        "target": language_described(task.test_set.target_language),
    }
    return render(request, "results/segment.html", context)
