"""Which segment and which outputs of a test set the answers of a file are about."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NoReturn, TypeVar

from annotation.answer_files import FileAnswer
from campaign.formats.losses import Losses
from campaign.formats.segment_identity import (
    DocumentColumn,
    KnownSegment,
    KnownSegments,
    SegmentName,
    SegmentProblem,
    same_text,
)
from campaign.importing.languages import language_tag
from campaign.models import Output, Segment, Task, TestSet

#: Raises the error of an answer: for what field, which problem, and what to do.
Refuse = Callable[[str | None, str, str], NoReturn]

_NAMES_IN_ERRORS: Final = 20
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True)
class Place:
    """What an answer is about, by id, and the texts of its candidates as the test set has them."""

    segment: int
    number: int
    outputs: tuple[tuple[int, ...], ...]
    texts: tuple[str | None, ...]


def known_segments(test_set: TestSet) -> KnownSegments:
    """Return the names of all segments of a test set. One query."""
    rows = Segment.objects.filter(test_set=test_set).values_list(
        "id", "number", "document__name", "position"
    )
    return KnownSegments(test_set.name, (KnownSegment(*row) for row in rows.iterator()))


class Places:
    """Finds segments and outputs; reads the names of all segments once, and texts as answers name them."""

    def __init__(self, task: Task, losses: Losses) -> None:
        self._test_set = task.test_set
        self._losses = losses
        self._systems = dict(self._test_set.systems.values_list("name", "id"))
        self._known = known_segments(self._test_set)
        self._pair = tuple(
            map(_language, (self._test_set.source_language, self._test_set.target_language))
        )

    def begin_file(self, name: str) -> None:
        """Expect the answers of a file."""
        self._column = DocumentColumn(name, self._known, self._losses)

    def of(
        self, answers: Sequence[FileAnswer], refuse: Callable[[FileAnswer], Refuse]
    ) -> list[Place]:
        """Return the place of each answer. Three queries.

        Refuses languages, segments and systems that the test set does not have, and texts that it has otherwise.
        """
        segments = self._segments(answers, refuse)
        wanted = [
            (segment.key, self._system(name, refuse(answer)))
            for answer, segment in zip(answers, segments, strict=True)
            for candidate in answer.candidates
            for name in candidate
        ]
        outputs = _outputs(wanted)
        return [
            self._place(answer, segment, outputs, refuse(answer))
            for answer, segment in zip(answers, segments, strict=True)
        ]

    def _segments(
        self, answers: Sequence[FileAnswer], refuse: Callable[[FileAnswer], Refuse]
    ) -> list[KnownSegment]:
        names, named = [], []
        for answer in answers:
            said = refuse(answer)
            self._refuse_languages(answer, said)
            document = answer.document
            if answer.is_number:
                document = self._column.document(document, answer.line, partial(said, None))
            name = SegmentName(
                answer.segment,
                document,
                answer.source,
                has_output_texts=any(text is not None for text in answer.texts),
                is_number=answer.is_number,
            )
            names.append(name)
            named.append(_proved(said, self._known.candidates, name))
        by_source = self._by_source(
            name.source for name, found in zip(names, named, strict=True) if not found
        )
        candidates = [
            found or by_source.get(name.source, [])
            for name, found in zip(names, named, strict=True)
        ]
        sources = self._sources(candidates)
        return [
            _proved(refuse(answer), self._known.choose, name, found, sources)
            for answer, name, found in zip(answers, names, candidates, strict=True)
        ]

    def _refuse_languages(self, answer: FileAnswer, refuse: Refuse) -> None:
        if all(answer.languages) and tuple(map(_language, answer.languages)) != self._pair:
            refuse(
                None,
                f"it is {answer.languages[0]} → {answer.languages[1]}, the test set "
                f'"{self._test_set.name}" {self._test_set.source_language} → {self._test_set.target_language}',
                "give a file of this test set",
            )

    def _by_source(self, sources: Iterable[str | None]) -> dict[str | None, list[KnownSegment]]:
        wanted = list({source for source in sources if source})
        found: dict[str | None, list[KnownSegment]] = {}
        if wanted:
            rows = Segment.objects.filter(test_set=self._test_set, source_text__in=wanted)
            for text, number in rows.values_list("source_text", "number"):
                found.setdefault(text, []).append(self._known.numbered(number))
        return found

    def _sources(self, candidates: Iterable[Sequence[KnownSegment]]) -> dict[int, str | None]:
        wanted = {segment.key for each in candidates for segment in each}
        return dict(Segment.objects.filter(pk__in=wanted).values_list("id", "source_text"))

    def _system(self, name: str, refuse: Refuse) -> int:
        found = self._systems.get(name)
        if found is None:
            known = ", ".join(sorted(self._systems)[:_NAMES_IN_ERRORS])
            refuse(
                None,
                f"the system {name} is unknown",
                f"correct the name, or add the system to the test set first; it has {known}",
            )
        return found

    def _place(
        self,
        answer: FileAnswer,
        segment: KnownSegment,
        outputs: dict[tuple[int, int], tuple[int, str | None]],
        refuse: Refuse,
    ) -> Place:
        ids, texts = [], []
        for place, systems in enumerate(answer.candidates):
            found = [outputs.get((segment.key, self._systems[name])) for name in systems]
            for name, each in zip(systems, found, strict=True):
                if each is None:
                    refuse(
                        None,
                        f"the system {name} has no output for segment {segment.number}",
                        "correct it, or import the test set with all outputs",
                    )
            there = [each for each in found if each is not None]
            text = there[0][1]
            if any(other != text for _id, other in there):
                refuse(
                    None,
                    f"{', '.join(systems)} wrote different texts for segment {segment.number}",
                    "write a candidate for each text",
                )
            if answer.texts and not same_text(answer.texts[place], text):
                refuse(
                    None,
                    f"the output of {systems[0]} for segment {segment.number} is another text than in the test set",
                    "give the file of the judgments of these texts, or import the texts that were judged",
                )
            ids.append(tuple(id_ for id_, _text in there))
            texts.append(text)
        return Place(segment.key, segment.number, tuple(ids), tuple(texts))


def _outputs(wanted: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[int, str | None]]:
    """Return id and text of outputs, by segment and system."""
    found = Output.objects.filter(
        segment__in={segment for segment, _system in wanted},
        system__in={system for _segment, system in wanted},
    )
    return {
        (segment, system): (id_, text)
        for segment, system, id_, text in found.values_list("segment", "system", "id", "text")
    }


def _proved(refuse: Refuse, find: Callable[..., _Found], *names: Any) -> _Found:
    """Return what is found, or refuse the answer with the reason why its segment is not proved."""
    try:
        return find(*names)
    except SegmentProblem as error:
        refuse(None, error.problem, error.remedy)


def _language(name: str) -> str:
    """Return the language without its region or script."""
    return language_tag(name.replace("_", "-")).split("-", 1)[0].lower()
