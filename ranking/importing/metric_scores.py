"""Import scores of metrics, or human scores without judges, into a test set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import numpy.typing as npt
from django.db import transaction
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.importing.answer_subjects import known_segments
from campaign.formats import FormatError, Location
from campaign.formats.evalset import EvalSet
from campaign.formats.isolation import isolated
from campaign.formats.metric_scores import (
    MetricScores,
    is_named_as_error_rate,
    segment_rows,
    with_lower_better,
)
from campaign.formats.score_files import scores_together
from campaign.formats.segment_identity import SegmentName
from campaign.formats.streams import StoredFile
from campaign.models import Segment, TestSet, User
from campaign.texts.joining import comma_list
from campaign.texts.names import name_within
from ranking.models import Metric
from ranking.selectors.metrics import evalset_word, evalset_words
from ranking.services.metrics import metric_store

_NAMED = 10


@transaction.atomic
def metric_scores_import(
    *,
    test_set: TestSet,
    files: Sequence[StoredFile],
    name: str = "",
    lower_is_better: bool = False,
    is_human: bool = False,
    user: User | None = None,
) -> tuple[list[Metric], list[str]]:
    """Read and store scores, or none of them if there is an error.

    Returns the new metrics, and sentences about skipped scores.

    Parameters
    ----------
    files : sequence of StoredFile
        JSON Lines, tables, `.score` files or automatic scores of WMT; or an EvalSet folder or its archive, alone.
    name : str
        Name of the metric if the files do not give one.
    lower_is_better : bool
        Whether lower scores are better, for metrics whose files do not specify it; a file that says the opposite is
        refused.
    is_human : bool
        Whether people gave the scores; those in the folder `human-scores` are always marked as human.

    Raises
    ------
    FormatError
        If a file is malformed, or names segments or systems that the test set does not have.
    MetricRefusedError
        If the metric already has other scores.
    """
    segments = Segment.objects.filter(test_set=test_set).order_by("number")
    documents = dict(segments.values_list("number", "document__name"))
    all_scores, references = _read(test_set, documents, files, name)
    if lower_is_better:
        all_scores = [with_lower_better(scores) for scores in all_scores]
    segment_names = known_segments(test_set)
    last = max(documents, default=0)
    with_gaps = None
    if len(documents) < last:
        with_gaps = set(documents)
    # Segment number s is in row s − 1.
    document_rows = np.array(list(documents), dtype=np.int64) - 1
    systems = set(test_set.systems.values_list("name", flat=True))
    new_metrics = []
    skipped = _Skipped()
    for scores in all_scores:
        row_of = segment_rows(scores, segment_names, there=with_gaps, last=last)
        rows = list(row_of.values())
        file_name = files[0].name
        if rows:
            file_name = scores.places[rows[0]].file
        columns = _columns(file_name, scores, systems, references)
        skipped.systems.update(set(scores.systems) - systems)
        skipped.segments = max(skipped.segments, len(scores.segments) - len(row_of))
        segment_values = np.array(list(row_of), dtype=np.int64) - 1
        values = np.full((last, len(columns)), np.nan)
        values[segment_values] = scores.values[rows][:, columns]
        metric, is_new = metric_store(
            test_set=test_set,
            name=name_within(scores.name, 100),
            file_name=file_name[:300],
            systems=[scores.systems[column] for column in columns],
            values=values,
            of_systems=_scores_or_none(scores.of_systems[columns]),
            signature=name_within(scores.signature, 300),
            higher_is_better=scores.higher_is_better,
            uses_reference=scores.uses_reference,
            is_human=is_human or scores.is_human,
            missing=int(np.isnan(values[document_rows]).sum()),
            user=user,
        )
        if not is_new:
            skipped.metrics += 1
            continue
        new_metrics.append(metric)
        counts_as_quality = metric.higher_is_better and not metric.is_human
        if counts_as_quality and _looks_like_error_rate(scores):
            skipped.doubtful.append(scores.name)
    return new_metrics, skipped.remarks


def _scores_or_none(scores: npt.NDArray[np.float64]) -> list[float | None]:
    """Return scores of systems, None if missing; an empty list if all are missing."""
    if np.isnan(scores).all():
        return []
    return [None if isnan(score) else score for score in scores.tolist()]


@dataclass(slots=True)
class _Skipped:
    """Metrics, systems and segments that an import skipped, and the names of metrics that look like error rates."""

    metrics: int = 0
    systems: set[str] = field(default_factory=set)
    segments: int = 0
    doubtful: list[str] = field(default_factory=list)

    @property
    def remarks(self) -> list[str]:
        remarks = []
        for name in self.doubtful:
            remark = _(
                "%(metric)s looks like an error rate, but higher scores count as better. If lower scores are better, say so when you import it.",
            )
            remarks.append(remark % {"metric": name})
        if self.metrics:
            remark = _("Skipped, imported before with the same scores: %(number)d.")
            remarks.append(remark % {"number": self.metrics})
        if self.systems:
            remark = _("Skipped, not in the test set: %(names)s.")
            remarks.append(remark % {"names": comma_list(sorted(self.systems))})
        if self.segments:
            remark = ngettext(
                "Skipped, not in the test set: %(number)s segment.",
                "Skipped, not in the test set: %(number)s segments.",
                self.segments,
            )
            remarks.append(remark % {"number": number_format(self.segments)})
        return remarks


def _looks_like_error_rate(scores: MetricScores) -> bool:
    """Return whether scores have the name of an error rate, and are not negated as in EvalSet folders."""
    is_positive = (scores.values > 0).any() or (scores.of_systems > 0).any()
    return bool(is_positive) and is_named_as_error_rate(scores.name)


def _read(
    test_set: TestSet,
    document_by_number: Mapping[int, str],
    files: Sequence[StoredFile],
    name: str,
) -> tuple[list[MetricScores], frozenset[str]]:
    """Return the scores, and the references that the test set may lack.

    `document_by_number` has the document of each segment of the test set by its number.
    """
    languages = (test_set.source_language, test_set.target_language)
    file_name = files[0].name
    size = sum(file.size() for file in files)
    with TemporaryDirectory(prefix="quintet-") as temporary:
        folder = Path(temporary) / "unpacked"
        read = partial(scores_together, files, languages, name, folder)
        evalset = isolated(file_name, size, read)
    if not isinstance(evalset, EvalSet):
        return evalset, frozenset()
    _refuse_other_documents(evalset, document_by_number, file_name)
    word_by_name = evalset_words(test_set.systems.values_list("name", flat=True))
    name_of = {name: name for name in word_by_name}
    for name, word in word_by_name.items():
        name_of[word] = name
    numbers = tuple(
        SegmentName(str(number), is_number=True) for number in document_by_number
    )
    all_scores = []
    for scores in evalset.scores:
        systems = tuple(_system_named(word, name_of) for word in scores.systems)
        named = replace(scores, systems=systems)
        # Lines are segments in the order of the test set, whose numbers may have gaps.
        if evalset.documents and scores.segments:
            named = replace(named, segments=numbers, is_by_line=False)
        all_scores.append(named)
    return all_scores, evalset.references


def _refuse_other_documents(
    evalset: EvalSet,
    document_by_number: Mapping[int, str],
    file_name: str,
) -> None:
    """Raise FormatError if the folder has other documents than the test set."""
    if not evalset.documents:
        return
    if len(evalset.documents) != len(document_by_number):
        raise FormatError(
            file_name,
            f"the folder has {len(evalset.documents):,} segments, but the test set has {len(document_by_number):,}",
            "provide the folder for this test set",
        )
    word_by_name = evalset_words(set(document_by_number.values()))
    documents = zip(evalset.documents, document_by_number.values(), strict=True)
    for line, (document, own) in enumerate(documents, 1):
        is_same = evalset_word(document) == evalset_word(own)
        if not is_same and document not in (own, word_by_name[own]):
            raise Location(f"{file_name}, documents", line).error(
                f'segment {line} is in the document "{own}", but here in "{document}"',
                "provide the folder for this test set",
            )


def _system_named(word: str, name_of: Mapping[str, str]) -> str:
    """Return the system of a word in a folder; words of earlier exports kept more characters."""
    return name_of.get(word) or name_of.get(evalset_word(word), word)


def _columns(
    file: str,
    scores: MetricScores,
    systems: set[str],
    references: frozenset[str],
) -> list[int]:
    """Return the columns of systems in the test set; refuse other systems, except references."""
    people = {*references, *(f"ref{letter}" for letter in "ABCDEFG"), "synthetic_ref"}
    strange = []
    columns = []
    for column, system in enumerate(scores.systems):
        if system in systems:
            columns.append(column)
        elif system not in people:
            strange.append(system)
    if strange or not columns:
        named = comma_list((strange or list(scores.systems))[:_NAMED])
        names = comma_list(sorted(systems)[:_NAMED])
        raise FormatError(
            file,
            f"{scores.name} scores systems that the test set does not have: {named}",
            f"name systems as the test set does: {names}",
        )
    return columns
