"""Answers of analyses as a static copy has them: of kinds about no single judge, over systems as they are called here.

An answer is copied as it is stored where nothing in it has another name here; otherwise it is computed again from what
it recorded, over the other names, so that neither words nor the order of rows tell them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from django.urls import reverse
from django.utils.translation import get_language

from campaign.models import Task
from cells.campaign_copy.choices import chosen, is_about_people
from cells.campaign_copy.counted import CountedJudges, counted_judges
from cells.campaign_copy.guards import report_texts, tells_names, without_judges
from cells.campaign_copy.naming import CopiedNames
from cells.campaign_copy.rankings import KINDS, present_choice, untold
from cells.campaign_copy.renaming import is_as_stored, renamed_input
from ranking.analyses import ANALYSES, AnalysisKind
from ranking.analyses.judgments import JUDGMENT_OPTIONS, recorded_judgments
from ranking.core.judged.content_key import CONTENT_KEY_VERSION
from ranking.models import Analysis, RankingRun
from ranking.pages.analysis_form import question_query
from ranking.pages.analysis_words import options_in_words
from ranking.reports import Report
from ranking.reports.stored import report_in
from ranking.selectors.analyses import ANSWER
from ranking.selectors.chosen_judgments import stored_input
from ranking.wording.rule_states import rule_notes

#: Copied where somebody asked.
ANSWERED: Final = (
    "ranking",
    "pairs",
    "firmness",
    "stopping",
    "methods",
    "agreement",
    "agreement_by",
    "diagnosis",
    "remarks",
)
#: Kinds that stay at home, and why.
NOT_COPIED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "system": "answers of pages of systems, which are not in a copy; they compare groups of judges by name",
        "beside": "of several tasks of a test set, and what is copied is of one",
        "judges": "about single judges: their figures find them, whatever they are called",
        "judge_pairs": "about single judges: their figures find them, whatever they are called",
        "sorting": "about single judges: what each of them answered",
        "two_outputs": "about single judges: what each of them answered",
        "rating": "about single judges, too: their figures find them, whatever they are called",
        "spans": "about single judges, too: how the scores of each two agree finds them, whatever they are called",
        "top": "beside another task of the test set, which a copy need not have",
        "quiz": "about single judges, too: what each of them understood",
        "editing": "what answers of other protocols say is not in a copy",
        "without": "about single judges: what changes without them finds them",
    }
)
#: So many of a test set are copied, those asked last.
MOST_ANSWERS: Final = 30


@dataclass(frozen=True, slots=True)
class CopiedAnswer:
    """An answer in a copy.

    Attributes
    ----------
    analysis : Analysis
        Without its answer.
    kind : AnalysisKind
    words : str
        What was asked, where that is not as usual.
    address : str
    is_stored : bool
        Whether nothing in it has another name here, so that it is copied as it is.
    """

    analysis: Analysis
    kind: AnalysisKind
    words: str
    address: str
    is_stored: bool


def copied_answers(
    task: Task, names: CopiedNames, run: RankingRun | None
) -> Sequence[CopiedAnswer]:
    """Return the newest answer of each question that a copy has, in the order of kinds; three queries.

    What the copy tells of the present ranking anyway is not told twice.
    """
    newest = (
        Analysis.objects.of(task.pk)
        .finished()
        .filter(kind__in=ANSWERED)
        .defer(*ANSWER)
        .order_by("choice_digest", "-watermark", "-id")
        .distinct("choice_digest")
    )
    present = {} if run is None else {present_choice(name, run).digest: run for name in KINDS}
    counted = counted_judges(task, run)
    found: dict[str, CopiedAnswer] = {}
    for analysis in sorted(newest, key=lambda each: -each.pk):
        told = present.get(analysis.choice_digest)
        if told is not None and analysis.watermark <= told.watermark:
            continue
        answer = _answer(analysis, task, names, counted)
        if answer is not None:
            found.setdefault(answer.address, answer)
    places = list(ANALYSES)
    kept = list(found.values())[:MOST_ANSWERS]
    return sorted(kept, key=lambda each: (places.index(each.kind.name), -each.analysis.pk))


def _answer(
    analysis: Analysis, task: Task, names: CopiedNames, counted: CountedJudges
) -> CopiedAnswer | None:
    choice, judgments = analysis.choice, analysis.judgments
    if is_about_people(choice) or not counted.are_those_of(judgments):
        return None
    is_stored = is_as_stored(judgments, names.labels)
    if is_stored is None or not (is_stored or analysis.content_key_version == CONTENT_KEY_VERSION):
        return None
    kind = ANALYSES[analysis.kind]
    options = (*kind.options, *JUDGMENT_OPTIONS)
    given = chosen(kind, options, choice)
    words = options_in_words(options, given)
    if tells_names([words], names.hidden):
        return None
    address = reverse("analysis", args=[task.test_set.campaign.slug, task.pk, kind.name])
    query = question_query(given, analysis.watermark)
    return CopiedAnswer(analysis, kind, words, f"{address}?{query}", is_stored)


def answer_report(answer: CopiedAnswer, task: Task, names: CopiedNames) -> Report | None:
    """Return an answer as it may leave the house, in the language in force; None if it may not.

    Names of documents are words of people: an answer stays at home where one of them names who is not named.
    """
    analysis = Analysis.objects.filter(pk=answer.analysis.pk).first()
    if analysis is None:  # deleted meanwhile
        return None
    if answer.is_stored:
        report = report_in(analysis.reports or {}, get_language() or "en")
    else:
        try:
            report = _computed(analysis, answer.kind, task, names)
        except ValueError:
            return None
    report = without_judges(report)
    return None if tells_names(report_texts(report), names.hidden) else report


def _computed(analysis: Analysis, kind: AnalysisKind, task: Task, names: CopiedNames) -> Report:
    """Compute an answer from what it recorded, over the systems as they are called here.

    Raises
    ------
    ValueError
        If this code has no such answer.
    """
    judgments = recorded_judgments(analysis.judgments)
    given = stored_input(
        task=task,
        watermark=analysis.watermark,
        chosen=judgments,
        languages=(task.test_set.source_language, task.test_set.target_language),
    )
    given = renamed_input(given, names.labels)
    options = {option.name: option.read(analysis.choice[option.name]) for option in kind.options}
    report = kind.tell(given, options, kind.find(given, options, untold))
    if judgments.rule is None:
        return report
    return replace(report, notes=[*report.notes, *rule_notes(judgments.rule)])
