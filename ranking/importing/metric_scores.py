"""Import scores of metrics, or human scores without judges, into a test set."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from django.db import transaction
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.importing.answer_places import known_segments
from campaign.formats import FormatError, Place
from campaign.formats.isolation import isolated
from campaign.formats.metric_scores import (
    EvalSet,
    MetricScores,
    is_named_as_error_rate,
    segment_rows,
)
from campaign.formats.score_files import scores_together
from campaign.formats.segment_identity import SegmentName
from campaign.formats.streams import StoredFile
from campaign.models import Segment, TestSet, User
from campaign.texts.joining import comma_list
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
        Whether lower scores are better, for metrics whose files do not specify it.
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
    given, references = _read(test_set, documents, files, name)
    known = known_segments(test_set)
    last = max(documents, default=0)
    if len(documents) == last:
        with_gaps = None
    else:
        with_gaps = set(documents)
    systems = set(test_set.systems.values_list("name", flat=True))
    made = []
    there = 0
    not_read = set[str]()
    skipped = 0
    doubtful: list[str] = []
    for scores in given:
        row_of = segment_rows(scores, known, there=with_gaps, last=last)
        skipped = max(skipped, len(scores.segments) - len(row_of))
        rows = list(row_of.values())
        if rows:
            file_name = scores.places[rows[0]].file
        else:
            file_name = files[0].name
        columns = _columns(file_name, scores, systems, references)
        not_read |= {system for system in scores.systems if system not in systems}
        # Segment number s is in row s − 1.
        values = np.full((last, len(columns)), np.nan)
        values[np.array(list(row_of), dtype=np.int64) - 1] = scores.values[rows][
            :, columns
        ]
        of_systems = [
            None if isnan(system) else system
            for system in scores.of_systems[columns].tolist()
        ]
        metric, is_new = metric_store(
            test_set=test_set,
            name=scores.name[:100],
            file_name=file_name[:300],
            systems=[scores.systems[column] for column in columns],
            values=values,
            of_systems=of_systems if set(of_systems) != {None} else [],
            signature=scores.signature[:300],
            higher_is_better=scores.higher_is_better and not lower_is_better,
            uses_reference=scores.uses_reference,
            is_human=is_human or scores.is_human,
            missing=int(
                np.isnan(values[np.array(list(documents), dtype=np.int64) - 1]).sum()
            ),
            user=user,
        )
        there += not is_new
        made += [metric] if is_new else []
        if is_new and not metric.is_human and metric.higher_is_better:
            doubtful += [scores.name] if _looks_like_error_rate(scores) else []
    remarks = []
    for doubted in doubtful:
        words = _(
            "%(metric)s looks like an error rate, but higher scores count as better. If lower scores are better, say so when you import it."
        )
        remarks.append(words % {"metric": doubted})
    if there:
        words = _("Skipped, imported before with the same scores: %(number)d.")
        remarks.append(words % {"number": there})
    if not_read:
        words = _("Skipped, not in the test set: %(names)s.")
        remarks.append(words % {"names": comma_list(sorted(not_read))})
    if skipped:
        words = ngettext(
            "Skipped, not in the test set: %(number)s segment.",
            "Skipped, not in the test set: %(number)s segments.",
            skipped,
        )
        remarks.append(words % {"number": number_format(skipped)})
    return made, remarks


def _looks_like_error_rate(scores: MetricScores) -> bool:
    """Return whether scores have the name of an error rate, and are not negated as in EvalSet folders."""
    is_positive = (scores.values > 0).any() or (scores.of_systems > 0).any()
    return bool(is_positive) and is_named_as_error_rate(scores.name)


def _read(
    test_set: TestSet,
    known: Mapping[int, str],
    files: Sequence[StoredFile],
    name: str,
) -> tuple[list[MetricScores], frozenset[str]]:
    """Return the scores, and the references that the test set may lack.

    `known` has the document of each segment of the test set by its number.
    """
    languages = (test_set.source_language, test_set.target_language)
    called = files[0].name
    size = sum(file.size() for file in files)
    with TemporaryDirectory(prefix="quintet-") as temporary:
        folder = Path(temporary) / "unpacked"
        found = isolated(
            called, size, partial(scores_together, files, languages, name, folder)
        )
    if not isinstance(found, EvalSet):
        return found, frozenset()
    if found.documents and len(found.documents) != len(known):
        raise FormatError(
            called,
            f"the folder has {len(found.documents):,} segments, but the test set has {len(known):,}",
            "provide the folder for this test set",
        )
    words = evalset_words(set(known.values()))
    documents = zip(found.documents, known.values(), strict=False)
    for line, (said, there) in enumerate(documents, 1):
        is_same = evalset_word(said) == evalset_word(there)
        if not is_same and said not in (there, words[there]):
            raise Place(f"{called}, documents", line).error(
                f'segment {line} is in the document "{there}", but here in "{said}"',
                "provide the folder for this test set",
            )
    systems = evalset_words(test_set.systems.values_list("name", flat=True))
    name_of = {system: system for system in systems}
    name_of |= {word: system for system, word in systems.items()}
    scores = [
        replace(
            score,
            systems=tuple(_system_named(system, name_of) for system in score.systems),
        )
        for score in found.scores
    ]
    names = tuple(SegmentName(str(number), is_number=True) for number in known)
    if not found.documents:
        return scores, found.references
    # Lines are segments in the order of the test set, whose numbers may have gaps.
    given = [
        replace(score, segments=names, is_by_line=False) if score.segments else score
        for score in scores
    ]
    return given, found.references


def _system_named(word: str, name_of: Mapping[str, str]) -> str:
    """Return the system of a word in a folder; words of earlier exports kept more characters."""
    return name_of.get(word) or name_of.get(evalset_word(word), word)


def _columns(
    file: str, scores: MetricScores, systems: set[str], references: frozenset[str]
) -> list[int]:
    """Return the columns of systems in the test set; refuse other systems, except references."""
    people = {*references, *(f"ref{letter}" for letter in "ABCDEFG"), "synthetic_ref"}
    strange = [
        system
        for system in scores.systems
        if system not in systems and system not in people
    ]
    columns = [number for number, each in enumerate(scores.systems) if each in systems]
    if strange or not columns:
        named = comma_list((strange or list(scores.systems))[:_NAMED])
        known = comma_list(sorted(systems)[:_NAMED])
        raise FormatError(
            file,
            f"{scores.name} scores systems that the test set does not have: {named}",
            f"name systems as the test set does: {known}",
        )
    return columns
