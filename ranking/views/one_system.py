"""The systems of a test set, a system with its wins and losses, in tables and sentences, and a segment with its judgments."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst
from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _
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
from campaign.models.system import system_label
from campaign.texts.counted import counted
from campaign.texts.differences import Run, differences
from campaign.texts.joining import comma_list, sentence_list, with_full_stop
from campaign.texts.languages import language_described
from campaign.views.access import joined_task, of_task, organised_task, user_of
from campaign.views.decorators import action_view, page_view
from ranking.core.diagnosis.one_system import ShareWon
from ranking.core.ranges import ComparedPair
from ranking.core.rankings.records import RankedRow
from ranking.core.scores import Shortage
from ranking.models import Analysis, RankingRun
from ranking.pages.formats import Addresses
from ranking.pages.report_shown import shown_tables
from ranking.pages.summary import by_judges, from_blocks, names_in_a_row
from ranking.pages.systems import RankedSystemTable, with_places
from ranking.reports import Report
from ranking.reports.analyses.kind import AnalysisChoice
from ranking.reports.analyses.options import OptionError
from ranking.reports.analyses.system import TREND_LEVEL, PartWon, opponents_table
from ranking.reports.tables import Table
from ranking.reports.wording.methods import (
    METHOD_WORDS,
    not_yet_in_words,
    reason_in_words,
)
from ranking.reports.wording.numbers import decimals
from ranking.reports.wording.ranges import range_of_ranks, rank_range, shared_rank
from ranking.selectors.analyses import Answered, answer_for_people, answered
from ranking.selectors.one_system import (
    MOST,
    segment_judged,
    sentence_texts,
    systems_by_name,
)
from ranking.selectors.runs import corrected_pairs_of, judges_not_counted, latest_run
from ranking.services.analyses import analysis_ask, analysis_choice

#: Number of sentences shown initially; the others can be unfolded.
SENTENCES_AT_ONCE = 4

#: Maximum number of systems that a sentence names; of more, it gives the number.
_MOST_NAMED = 8


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


def _pairs_with(name: str, run: RankingRun | None) -> list[ComparedPair]:
    """Return the pairs of a system and its opponents in a ranking, best opponent first."""
    pairs = () if run is None else corrected_pairs_of(run)
    return [pair for pair in pairs if name in (pair.better, pair.worse)]


def standing_table(name: str, pairs: Sequence[ComparedPair]) -> Table:
    """Return the table of opponents from the ranking, best first, without intervals; shown until the analysis is available."""
    opponents = []
    for pair in pairs:
        other = pair.worse
        won = pair.wins
        lost = pair.losses
        if name == pair.worse:
            other = pair.better
            won = pair.losses
            lost = pair.wins
        decided = won + lost
        share = won / decided if decided else None
        opponents.append(
            PartWon(other, ShareWon(int(won), int(lost), int(pair.ties), share))
        )
    return opponents_table(name, opponents)


def sentences(
    name: str,
    clear: Sequence[Mapping[str, Any]],
    *,
    task: Task,
    addresses: Addresses,
) -> list[dict[str, Any]]:
    """Return the sentences of an answer with the clearest wins and losses of a system, with texts. Two queries."""
    texts = sentence_texts(
        task=task,
        numbers={each["segment"] for each in clear},
        systems={name, *(each["other"] for each in clear)},
    )
    return [
        _sentence(name, each, texts[each["segment"]], addresses)
        for each in clear
        if each["segment"] in texts
    ]


def _sentence(
    name: str, each: Mapping[str, Any], segment: Any, addresses: Addresses
) -> dict[str, Any]:
    """Return a sentence with both outputs, their differences marked, and the ranks of all systems."""
    own = segment.texts.get(name)
    other = segment.texts.get(each["other"])
    shown: tuple[SafeString | str, SafeString | str] = (own or "–", other or "–")
    if own and other:
        first, second = differences(own, other)
        shown = (marked(first), marked(second))
    return {
        "number": segment.number,
        "address": addresses.segment(segment.number),
        "document": segment.document.name,
        "where": comma_list(
            [
                _("Sentence %(number)s") % {"number": number_format(segment.position)},
                counted("%(count)s judge", "%(count)s judges", each["judges"]),
            ]
        ),
        # The database does not keep the order of names.
        "chips": [
            {"name": system, "rank": _rank(rank), "is_own": system == name}
            for system, rank in sorted(
                each["ranks"].items(), key=lambda item: (item[1], item[0])
            )
        ],
        "has_texts": any((segment.source_text, own, other)),
        "source": segment.source_text,
        "own": shown[0],
        "other": shown[1],
        "other_name": each["other"],
    }


def _rank(mean: float) -> str:
    return decimals(mean, 0 if float(mean).is_integer() else 1)


def marked(runs: Sequence[Run]) -> SafeString:
    """Return a text with its differences marked, also for screen readers."""
    words = pgettext("before words that the other text does not have", "only here:")
    hidden = format_html(
        '<span class="visually-hidden" lang="{}">{} </span>',
        get_language() or "en",
        words,
    )
    # Each part is escaped or our own markup.
    return mark_safe(  # noqa: S308
        "".join(
            format_html("<mark>{}{}</mark>", hidden, run.text)
            if run.differs
            else format_html("{}", run.text)
            for run in runs
        )
    )


def system_words(
    name: str, run: RankingRun | None, data: Mapping[str, Any] | None
) -> dict[str, str]:
    """Return the introduction of a system's page; `data` is the answer of the analysis, if available."""
    label = system_label(name)
    if run is None:
        return {"headline": label, "lead": _("No ranking yet")}
    row = _row_of(name, run)
    if row is None:
        unranked = {
            each["system"]: each["reason"] for each in run.result["not_estimable"]
        }
        if name in unranked:
            why = with_full_stop(reason_in_words(unranked[name]))
        else:
            why = ""
        return {
            "headline": _("%(system)s is not ranked") % {"system": label},
            "lead": capfirst(why),
            "counts": _counts(None, data),
        }
    last_rank = row.get("last_rank", row["rank"])
    trend = _direction((data or {}).get("length_trend"))
    words = [*_group(row, run), _rank_and_score(row, run), *_told_apart(row, run)]
    return {
        "headline": _place_in_words(trend, is_tied=last_rank != row["rank"])
        % {"system": label, "ranks": range_of_ranks(row["rank"], last_rank)},
        "lead": sentence_list(words),
        "counts": _counts(row, data),
    }


def _row_of(name: str, run: RankingRun) -> RankedRow | None:
    """Return the row of a system in a ranking; None if it is not ranked."""
    return next((row for row in run.result["systems"] if row["system"] == name), None)


def _has_comparisons(name: str, run: RankingRun) -> bool:
    """Return whether a ranking has comparisons of a system, so that there is something to analyse."""
    reasons = {each["system"]: each["reason"] for each in run.result["not_estimable"]}
    return (
        _row_of(name, run) is not None
        or reasons.get(name, "no_comparison") != "no_comparison"
    )


def _place_in_words(trend: int, *, is_tied: bool) -> str:
    """Return the sentence on a system's place, and on its trend with longer sentences: 1, −1 or 0 for none."""
    if is_tied:
        return {
            0: _("%(system)s is tied for ranks %(ranks)s"),
            1: _(
                "%(system)s is tied for ranks %(ranks)s, and better on longer sentences"
            ),
            -1: _(
                "%(system)s is tied for ranks %(ranks)s, and worse on longer sentences"
            ),
        }[trend]
    return {
        0: _("%(system)s is number %(ranks)s"),
        1: _("%(system)s is number %(ranks)s, and better on longer sentences"),
        -1: _("%(system)s is number %(ranks)s, and worse on longer sentences"),
    }[trend]


def _direction(trend: Mapping[str, Any] | None) -> int:
    if trend is None or trend["p_value"] is None or trend["p_value"] >= TREND_LEVEL:
        return 0
    if trend["slope"] > 0:
        return 1
    return -1


def _rank_and_score(row: RankedRow, run: RankingRun) -> str:
    words = {
        "rank": shared_rank(row) if row.get("shortage") else rank_range(row),
        "method": METHOD_WORDS.get(run.method, run.method),
        "score": "–" if row["score"] is None else decimals(row["score"], 3),
    }
    return _("Rank %(rank)s, %(method)s %(score)s.") % words


def _group(row: Mapping[str, Any], run: RankingRun) -> list[str]:
    """Return a sentence on the systems it is ranked with, if others are not connected to them."""
    groups = {each.get("group", 1) for each in run.result["systems"]}
    if len(groups) < 2:
        return []
    others = [
        each["system"]
        for each in run.result["systems"]
        if each["group"] == row["group"] and each["system"] != row["system"]
    ]
    if not others:
        return []
    if len(others) > _MOST_NAMED:
        return [
            counted(
                "Ranked only against %(count)s system: no comparisons connect it with others.",
                "Ranked only against %(count)s systems: no comparisons connect it with others.",
                len(others),
            )
        ]
    return [
        _(
            "Ranked only against %(names)s: no comparisons connect it with other systems."
        )
        % {"names": names_in_a_row(others)}
    ]


def _told_apart(row: Mapping[str, Any], run: RankingRun) -> list[str]:
    """Return sentences on the systems it loses to, is not separated from, and beats, by the tests of the ranking."""
    if row.get("shortage"):
        return [with_full_stop(not_yet_in_words(Shortage(**row["shortage"])))]
    name = row["system"]
    pairs = _pairs_with(row["system"], run)
    thin = {each["system"] for each in run.result["systems"] if each.get("shortage")}
    better = [pair.better for pair in pairs if pair.significant and pair.worse == name]
    worse = [pair.worse for pair in pairs if pair.significant and pair.better == name]
    others = [
        pair.better if pair.worse == name else pair.worse
        for pair in pairs
        if not pair.significant
    ]
    alike = [other for other in others if other not in thin]
    sentences = (_loses_to(better), _differs_little_from(alike), _beats(worse))
    return [sentence for sentence in sentences if sentence]


def _loses_to(systems: Sequence[str]) -> str:
    if len(systems) > _MOST_NAMED:
        return counted(
            "It loses to %(count)s system.",
            "It loses to %(count)s systems.",
            len(systems),
        )
    if systems:
        return _("It loses to %(names)s.") % {"names": names_in_a_row(systems)}
    return ""


def _differs_little_from(systems: Sequence[str]) -> str:
    if len(systems) > _MOST_NAMED:
        return counted(
            "It does not differ significantly from %(count)s system.",
            "It does not differ significantly from %(count)s systems.",
            len(systems),
        )
    words = _("It does not differ significantly from %(names)s.")
    if systems:
        return words % {"names": names_in_a_row(systems)}
    return ""


def _beats(systems: Sequence[str]) -> str:
    if len(systems) > _MOST_NAMED:
        return counted(
            "It beats %(count)s system.", "It beats %(count)s systems.", len(systems)
        )
    if systems:
        return _("It beats %(names)s.") % {"names": names_in_a_row(systems)}
    return ""


def _counts(row: Mapping[str, Any] | None, data: Mapping[str, Any] | None) -> str:
    if data is not None:
        whole = data["all"]
        won = whole["won"]
        lost = whole["lost"]
        tied = whole["tied"]
    elif row is not None:
        won = row["wins"]
        lost = row["losses"]
        tied = row["ties"]
    else:
        return ""
    counts = {
        "comparisons": number_format(won + lost + tied),
        "won": number_format(won),
        "lost": number_format(lost),
        "tied": number_format(tied),
    }
    if data is None:
        return (
            _("%(comparisons)s comparisons: %(won)s won, %(lost)s lost, %(tied)s tied.")
            % counts
        )
    return _(
        "%(comparisons)s comparisons: %(won)s won, %(lost)s lost, %(tied)s tied, %(blocks)s %(judges)s."
    ) % {
        **counts,
        "blocks": from_blocks(data["blocks"]),
        "judges": by_judges(data["judges"]),
    }


#: Share of new judgments after which the page requests the analysis again.
GROWTH = 0.02


@page_view
def system_results_page(
    request: HttpRequest, slug: str, task_id: int, system_id: int
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
    request: HttpRequest, slug: str, task_id: int, system_id: int
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
        found = [
            (name, each) for name, each in self.systems.items() if each.pk == system_id
        ]
        if not found:
            raise Http404
        self.name, self.system = found[0]
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
        shown = answer.shown
        if shown is None:
            return True
        counted = set(judges_not_counted(self.run.parameters))
        return (
            answer.newer > GROWTH * shown.watermark
            or set(shown.judgments["without"]) != counted
        )

    def part(self, request: HttpRequest, answer: Answered | None) -> HttpResponse:
        """Return the progress of a worker, or the content known so far."""
        if answer is not None and answer.is_awaited:
            return render(
                request, "results/_progress.html", self.context_of_progress(answer)
            )
        response = render(request, "results/_system.html", self.context(answer))
        # The answer replaces the whole content, not only the progress.
        response["HX-Retarget"], response["HX-Reswap"] = "#system-results", "outerHTML"
        return response

    def context_of_progress(self, answer: Answered | None) -> dict[str, Any]:
        """Return the template context while a worker is computing."""
        return {
            "campaign": self.task.test_set.campaign,
            "task": self.task,
            "system_id": self.system.pk,
            "job": answer.pending.job
            if answer is not None and answer.pending
            else None,
            "is_awaited": answer is not None and answer.is_awaited,
        }

    def tables(self, answer: Analysis | None, addresses: Addresses) -> dict[str, Any]:
        """Return the tables and notes of the answer; until it is available, the opponents alone."""
        of = [self.task.test_set.campaign.slug, self.task.pk]
        if answer is None:
            pairs = _pairs_with(self.name, self.run)
            report = Report(
                tables=[standing_table(self.name, pairs)] if pairs else [], data={}
            )
        else:
            of.append(answer.pk)
            report = answer_for_people(answer)
        tables = shown_tables(
            report,
            # Sentences are shown separately, with their texts.
            without=frozenset({"clearly_lost", "clearly_won"}),
            addresses=addresses,
            file_address=None
            if answer is None
            else lambda name, ending: reverse(
                "analysis-plot", args=[*of, name, ending]
            ),
        )
        return {"tables": tables, "notes": report.sentences}

    def context(self, answer: Answered | None) -> dict[str, Any]:
        """Return the template context with the content known so far."""
        shown = None if answer is None else answer.shown
        data = None if shown is None else shown.data
        addresses = Addresses(self.task, systems=self.systems)
        context = self.context_of_progress(answer) | {
            "section": "systems",
            "name": self.name,
            "is_withdrawn": self.system.withdrawn_at is not None,
            "words": system_words(self.name, self.run, data),
            "is_compared": self.run is None or _has_comparisons(self.name, self.run),
            "answer": answer,
            "shown": shown,
            "neighbours": _neighbours(self.name, self.run, addresses),
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
    system: System,
    systems: Mapping[str, System],
    run: RankingRun | None,
) -> AnalysisChoice | None:
    """Return the analysis of the page, on the judgments that the ranking counts; None if it is not available."""
    if run is None or system.kind == SystemKind.BAD_REFERENCE:
        return None
    references = {
        name for name, each in systems.items() if each.kind == SystemKind.REFERENCE
    }
    left_out = set(run.parameters.get("left_out", ()))
    is_ranked = bool(references - left_out)
    group = run.parameters.get("judge_group")
    given: dict[str, Any] = {"system": name}
    if is_ranked or name in references:
        given["reference"] = "include"
    if group:
        given["judge_group"] = group["name"]
    return analysis_choice("system", given)


def _neighbours(
    name: str, run: RankingRun | None, addresses: Addresses
) -> dict[str, tuple[str, str | None]]:
    """Return the previous and the next system in the ranking, with their pages."""
    if run is None:
        names = []
    else:
        names = [row["system"] for row in run.result["systems"]]
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
def segment_page(
    request: HttpRequest, slug: str, task_id: int, number: int
) -> HttpResponse:
    """Show a segment of a test set by its number."""
    task = organised_task(request, slug, task_id)
    found = segment_judged(task=task, number=number)
    if found is None:
        raise Http404
    segment = found["segment"]
    addresses = Addresses(task, compares_outputs=answer_kind_of(task).compares_outputs)
    context = {
        **of_task(task, "texts"),
        "found": found,
        "most": MOST,
        "outputs": [
            (output, [(name, addresses.system(name)) for name in output["systems"]])
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
