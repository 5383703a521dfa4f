"""The systems of a test set, a system with its wins and losses, in tables and sentences, and a segment with its judgments."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from annotation.pages.judgment_tables import JudgmentTable
from annotation.pages.systems import system_details
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.systems import (
    conflicts_listed,
    correctable_outputs,
    corrections_listed,
    systems_listed,
)
from campaign.models import System, SystemKind, Task
from campaign.texts.languages import language_described
from campaign.views.access import joined_task, of_task, organised_task, user_of
from campaign.views.decorators import action_view, page_view
from ranking.models import Analysis, RankingRun
from ranking.pages.formats import Addresses
from ranking.pages.one_system import (
    has_comparisons,
    pairs_with,
    sentences,
    standing_table,
    system_words,
)
from ranking.pages.report_shown import rendered_tables
from ranking.pages.systems import RankedSystemTable, with_places
from ranking.reports import Report
from ranking.reports.analyses.kind import AnalysisChoice
from ranking.reports.analyses.options import OptionError
from ranking.reports.wording.ranges import systems_of
from ranking.selectors.analyses import Answered, answer_for_people, answered
from ranking.selectors.one_system import MOST, segment_judged, systems_by_name
from ranking.selectors.runs import judges_not_counted, latest_run
from ranking.services.analyses import analysis_ask, analysis_choice

#: Number of sentences shown initially; the others can be unfolded.
SENTENCES_AT_ONCE = 4


@page_view
def systems_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the systems of a test set, in the order of the current ranking."""
    task = organised_task(request, slug, task_id)
    run = latest_run(task_id=task.pk)
    table = RankedSystemTable(
        with_places(systems_listed(task=task), run),
        of=[slug, task_id],
        conflicts=conflicts_listed(task=task),
        run=run,
        addresses=Addresses(task),
    )
    context = {**of_task(task, "systems"), "table": table.of(request)}
    return render(request, "organiser/systems.html", context)


#: Share of new judgments after which the page requests the analysis again.
GROWTH = 0.02


@page_view
def system_results_page(
    request: HttpRequest,
    slug: str,
    task_id: int,
    system_id: int,
) -> HttpResponse:
    """Show a system. Parts that need all comparisons are computed by a worker; the page requests them."""
    task = organised_task(request, slug, task_id)
    page = _Page(task, system_id)
    answer = page.answer()
    if request.headers.get("HX-Request"):
        return page.part(request, answer)
    system = get_object_or_404(task.test_set.systems, pk=system_id)
    system.test_set = task.test_set
    context = (
        page.context(answer)
        | {"asks": page.asks(answer)}
        | system_details(task, system)
    )
    return render(request, "results/system.html", context)


@action_view
@never_cache
def system_results_ask(
    request: HttpRequest,
    slug: str,
    task_id: int,
    system_id: int,
) -> HttpResponse:
    """Have a worker analyse a system. Read-only members may request it, too."""
    task = joined_task(request, slug, task_id)
    page = _Page(task, system_id)
    if page.choice is not None:
        try:
            analysis_ask(task=task, choice=page.choice, user=user_of(request))
        except OptionError:
            # There are no judgments yet, or a group was deleted since the ranking.
            page.choice = None
    if not request.headers.get("HX-Request"):
        return redirect("system-results", slug, task_id, system_id)
    return page.part(request, page.answer())


class _Page:
    """The page of a system in the current ranking of a test set."""

    def __init__(self, task: Task, system_id: int) -> None:
        self.task = task
        self.systems = systems_by_name(task_id=task.pk)
        by_id = {system.pk: system for system in self.systems.values()}
        if system_id not in by_id:
            raise Http404
        self.system = by_id[system_id]
        self.name = self.system.name
        self.run = latest_run(task_id=task.pk)
        self.choice = _choice(self.name, self.system, self.systems, self.run)

    def answer(self) -> Answered | None:
        """Return the newest answer of the analysis; None if it is not available for the system."""
        if self.choice is None:
            return None
        return answered(task=self.task, choice_digest=self.choice.digest)

    def asks(self, answer: Answered | None) -> bool:
        """Return whether the page should request the analysis: it is missing and possible."""
        if answer is None or self.run is None:
            return False
        if answer.pending is not None:
            # The analysis is being computed, or was refused or stopped.
            return False
        analysis = answer.finished
        if analysis is None:
            return True
        has_grown = answer.newer > GROWTH * analysis.watermark
        not_counted = set(judges_not_counted(self.run.parameters))
        return has_grown or set(analysis.judgments["without"]) != not_counted

    def part(self, request: HttpRequest, answer: Answered | None) -> HttpResponse:
        """Return the progress of a worker, or the content known so far."""
        if answer is not None and answer.is_awaited:
            return render(
                request,
                "results/_progress.html",
                self.context_of_progress(answer),
            )
        response = render(request, "results/_system.html", self.context(answer))
        # The answer replaces the whole content, not only the progress.
        response["HX-Retarget"] = "#system-results"
        response["HX-Reswap"] = "outerHTML"
        return response

    def context_of_progress(self, answer: Answered | None) -> dict[str, Any]:
        """Return the template context while a worker is computing."""
        job = None
        is_awaited = False
        if answer is not None and answer.pending is not None:
            job = answer.pending.job
            is_awaited = answer.is_awaited
        return {
            "campaign": self.task.test_set.campaign,
            "task": self.task,
            "system_id": self.system.pk,
            "job": job,
            "is_awaited": is_awaited,
        }

    def tables(self, answer: Analysis | None, addresses: Addresses) -> dict[str, Any]:
        """Return the tables and notes of the answer; until it is available, the opponents alone."""
        file_address = None
        if answer is None:
            opponents = []
            if pairs := pairs_with(self.name, self.run):
                opponents.append(standing_table(self.name, pairs))
            report = Report(tables=opponents, data={})
        else:
            report = answer_for_people(answer)
            file_address = partial(self._plot_address, answer.pk)
        tables = rendered_tables(
            report,
            # Sentences are shown separately, with their texts.
            without=frozenset({"clearly_lost", "clearly_won"}),
            addresses=addresses,
            file_address=file_address,
        )
        return {"tables": tables, "notes": report.sentences}

    def _plot_address(self, analysis_id: int, name: str, ending: str) -> str:
        slug = self.task.test_set.campaign.slug
        return reverse(
            "analysis-plot",
            args=[slug, self.task.pk, analysis_id, name, ending],
        )

    def context(self, answer: Answered | None) -> dict[str, Any]:
        """Return the template context with the content known so far."""
        analysis = None if answer is None else answer.finished
        data = None if analysis is None else analysis.data
        addresses = Addresses(self.task, systems=self.systems)
        context = self.context_of_progress(answer) | {
            "section": "systems",
            "name": self.name,
            "is_withdrawn": self.system.withdrawn_at is not None,
            "words": system_words(self.name, self.run, data),
            "is_compared": self.run is None or has_comparisons(self.name, self.run),
            "answer": answer,
            "analysis": analysis,
            "neighbours": _neighbours(self.name, self.run, addresses),
            "at_once": SENTENCES_AT_ONCE,
            "lost_address": addresses.judgments(system=self.name, outcome="lost"),
            "won_address": addresses.judgments(system=self.name, outcome="won"),
            "source": language_described(self.task.test_set.source_language),
            "target": language_described(self.task.test_set.target_language),
        }
        context |= self.tables(analysis, addresses)
        if data is not None:
            lost = data["lost_most_clearly"]
            won = data["won_most_clearly"]
            texts = sentences(
                self.name,
                [*lost, *won],
                task=self.task,
                addresses=addresses,
            )
            context["lost"] = texts[: len(lost)]
            context["won"] = texts[len(lost) :]
            context["fewest"] = data["compared_at_least"]
        return context


def _choice(
    name: str,
    system: System,
    systems: Mapping[str, System],
    run: RankingRun | None,
) -> AnalysisChoice | None:
    """Return the analysis of the page, on the judgments that the ranking counts; None if it is not available."""
    if run is None or system.kind == SystemKind.BAD_REFERENCE:
        return None
    of_kind = [row for row in systems.values() if row.kind == SystemKind.REFERENCE]
    references = {reference.name for reference in of_kind}
    ranked_references = references.difference(run.parameters.get("left_out", ()))
    options: dict[str, Any] = {"system": name}
    if ranked_references or name in references:
        options["reference"] = "include"
    group = run.parameters.get("judge_group")
    if group:
        options["judge_group"] = group["name"]
    return analysis_choice("system", options)


def _neighbours(
    name: str,
    run: RankingRun | None,
    addresses: Addresses,
) -> dict[str, tuple[str, str | None]]:
    """Return the previous and the next system in the ranking, with their pages."""
    if run is None:
        return {}
    names = systems_of(run.result["systems"])
    if name not in names:
        return {}
    neighbours = {}
    position = names.index(name)
    if position > 0:
        before = names[position - 1]
        neighbours["before"] = (before, addresses.system(before))
    if position + 1 < len(names):
        after = names[position + 1]
        neighbours["after"] = (after, addresses.system(after))
    return neighbours


@page_view
def segment_page(
    request: HttpRequest,
    slug: str,
    task_id: int,
    number: int,
) -> HttpResponse:
    """Show a segment of a test set by its number."""
    task = organised_task(request, slug, task_id)
    judged = segment_judged(task=task, number=number)
    if judged is None:
        raise Http404
    segment = judged.segment
    addresses = Addresses(task, compares_outputs=answer_kind_of(task).compares_outputs)
    outputs = []
    for output in judged.outputs:
        systems = [(name, addresses.system(name)) for name in output.systems]
        outputs.append((output, systems))
    context = {
        **of_task(task, "texts"),
        "judged": judged,
        "most": MOST,
        "outputs": outputs,
        "table": JudgmentTable(
            judged.judgments,
            task=task,
            names_by_block=judged.systems_shown,
        ),
        "correctable": correctable_outputs(segment_id=segment.pk),
        "corrections": corrections_listed(task=task).filter(before__segment=segment),
        "document_address": addresses.judgments(document=segment.document.name),
        "source": language_described(task.test_set.source_language),
        "target": language_described(task.test_set.target_language),
    }
    return render(request, "results/segment.html", context)
