"""Which segment and which outputs of a test set the answers of a file are about."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NoReturn, TypeVar

from annotation.answer_files import FileAnswer
from annotation.importing.stored_answers import outputs_there
from campaign.formats.losses import Losses
from campaign.formats.segment_identity import (
    DocumentColumn,
    KnownSegment,
    KnownSegments,
    SegmentName,
    SegmentProblem,
    same_text,
)
from campaign.models import Output, Segment, Task, TestSet
from campaign.texts.normalisation import text_to_the_eye

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
        self._systems_named = ", ".join(sorted(self._systems)[:_NAMES_IN_ERRORS])

    def begin_file(self, name: str) -> None:
        """Expect the answers of a file."""
        self._column = DocumentColumn(name, self._known, self._losses)

    def of(
        self, answers: Sequence[FileAnswer], refuse: Callable[[FileAnswer], Refuse]
    ) -> list[Place]:
        """Return the place of each answer. Three queries, and another where outputs are created.

        Refuses segments and systems that the test set does not have, and texts that it has otherwise.
        """
        segments, sources = self._segments(answers, refuse)
        # In the order in which answers name them.
        wanted = dict.fromkeys(
            (segment.key, self._system(name, refuse, answer))
            for answer, segment in zip(answers, segments, strict=True)
            for candidate in answer.candidates
            for name in candidate
        )
        outputs = outputs_there(wanted)
        # Of judgments without texts, which outputs there are is known from them alone.
        new = [
            Output(segment_id=segment, system_id=system)
            for segment, system in wanted
            if (segment, system) not in outputs and sources[segment] is None
        ]
        for output in Output.objects.bulk_create(new):
            outputs[output.segment_id, output.system_id] = (output.pk, None)
        return [
            self._place(answer, segment, outputs, refuse)
            for answer, segment in zip(answers, segments, strict=True)
        ]

    def _segments(
        self, answers: Sequence[FileAnswer], refuse: Callable[[FileAnswer], Refuse]
    ) -> tuple[list[KnownSegment], dict[int, str | None]]:
        """Return the segment of each answer, and the sources of these by key."""
        names, named = [], []
        for answer in answers:
            document = answer.document
            if answer.is_number:
                document = self._column.document(
                    document, answer.line, partial(refuse(answer), None)
                )
            name = SegmentName(
                answer.segment,
                document,
                answer.source,
                has_output_texts=any(text is not None for text in answer.texts),
                is_number=answer.is_number,
            )
            names.append(name)
            named.append(_proved(refuse, answer, self._known.candidates, name))
        by_source = self._by_source(
            name.source for name, found in zip(names, named, strict=True) if not found
        )
        candidates = [
            found or by_source.get(name.source, [])
            for name, found in zip(names, named, strict=True)
        ]
        sources = self._sources(candidates)
        return [
            _proved(refuse, answer, self._known.choose, name, found, sources)
            for answer, name, found in zip(answers, names, candidates, strict=True)
        ], sources

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

    def _system(self, name: str, refuse: Callable[[FileAnswer], Refuse], answer: FileAnswer) -> int:
        found = self._systems.get(name)
        if found is None:
            refuse(answer)(
                None,
                f"the system {name} is unknown",
                f"correct the name, or add the system to the test set first; it has {self._systems_named}",
            )
        return found

    def _place(
        self,
        answer: FileAnswer,
        segment: KnownSegment,
        outputs: dict[tuple[int, int], tuple[int, str | None]],
        refuse: Callable[[FileAnswer], Refuse],
    ) -> Place:
        ids, texts = [], []
        for place, systems in enumerate(answer.candidates):
            there = [outputs.get((segment.key, self._systems[name])) for name in systems]
            known = [each for each in there if each is not None]
            if len(known) < len(systems):
                refuse(answer)(
                    None,
                    f"the system {systems[there.index(None)]} has no output for segment {segment.number}",
                    "correct it, or import the test set with all outputs",
                )
            text = known[0][1]
            if any(not _looks_same(other, text) for _id, other in known[1:]):
                refuse(answer)(
                    None,
                    f"{', '.join(systems)} wrote different texts for segment {segment.number}",
                    "write a candidate for each text",
                )
            if answer.texts and not same_text(answer.texts[place], text):
                refuse(answer)(
                    None,
                    f"the output of {systems[0]} for segment {segment.number} is another text than in the test set",
                    "give the file of the judgments of these texts, or import the texts that were judged",
                )
            ids.append(tuple(id_ for id_, _text in known))
            texts.append(text)
        return Place(segment.key, segment.number, tuple(ids), tuple(texts))


def _looks_same(one: str | None, other: str | None) -> bool:
    """Whether texts may have been shown as one: designs choose how alike such texts are."""
    return one == other or (
        one is not None and other is not None and text_to_the_eye(one) == text_to_the_eye(other)
    )


def _proved(
    refuse: Callable[[FileAnswer], Refuse],
    answer: FileAnswer,
    find: Callable[..., _Found],
    *names: Any,
) -> _Found:
    """Return what is found, or refuse the answer with the reason why its segment is not proved."""
    try:
        return find(*names)
    except SegmentProblem as error:
        refuse(answer)(None, error.problem, error.remedy)
