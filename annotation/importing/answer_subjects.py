"""Find the segments and outputs of a test set that the answers of a file refer to."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NoReturn, TypeVar

from annotation.protocols.answer_files import FileAnswer
from annotation.protocols.submissions import BlockTexts
from campaign.database.many_rows import table_scans_off
from campaign.formats.errors import Losses
from campaign.formats.json_text import whole_text
from campaign.formats.segment_identity import (
    DocumentColumn,
    KnownSegment,
    KnownSegments,
    SegmentName,
    SegmentProblem,
    same_text,
)
from campaign.models import Output, Segment, Task, TestSet
from campaign.selectors.uploads import outputs_moved
from campaign.texts.normalisation import text_to_the_eye

#: Raises the error for an answer; the arguments are field, problem and remedy.
Refuse = Callable[[str | None, str, str], NoReturn]

_NAMES_IN_ERRORS: Final = 20
#: Maximum number of characters cached, since answers about one segment may be far apart in the
#: file.
_MOST_CHARACTERS: Final = 20_000_000
#: Characters counted for each output in addition to its text.
_CHARACTERS_OF_A_ROW: Final = 100
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class AnswerSubject:
    """Ids of the segment and outputs that an answer is about, and the texts of the candidates and the source."""

    segment: int
    number: int
    outputs: tuple[tuple[int, ...], ...]
    texts: BlockTexts


def known_segments(test_set: TestSet) -> KnownSegments:
    """Return the names of all segments of a test set. One query."""
    rows = Segment.objects.filter(test_set=test_set).values_list(
        "id",
        "number",
        "document__name",
        "position",
    )
    return KnownSegments(test_set.name, (KnownSegment(*row) for row in rows.iterator()))


class AnswerSubjects:
    """Find segments and outputs. Reads all segment names once, and outputs when an answer names their segment."""

    def __init__(self, task: Task, losses: Losses) -> None:
        self._test_set = task.test_set
        self._losses = losses
        self._systems = dict(self._test_set.systems.values_list("name", "id"))
        self._known_segments = known_segments(self._test_set)
        self._moved = outputs_moved(test_set=self._test_set)
        self._systems_named = ", ".join(sorted(self._systems)[:_NAMES_IN_ERRORS])
        self._forget()

    def _forget(self) -> None:
        self._segments: dict[SegmentName, KnownSegment] = {}
        # Id and text, by segment and system.
        self._outputs: dict[int, dict[str, tuple[int, str | None]]] = {}
        self._source_texts: dict[int, str | None] = {}
        self._characters = 0

    def begin_file(self, name: str) -> None:
        """Begin a file."""
        self._column = DocumentColumn(name, self._known_segments, self._losses)

    def of(
        self,
        answers: Sequence[FileAnswer],
        refuse: Callable[[FileAnswer], Refuse],
    ) -> list[AnswerSubject]:
        """Return the subject of each answer; queries only segments not named by earlier answers.

        Refuses unknown segments and systems, and texts that differ from the test set's.
        """
        if self._characters > _MOST_CHARACTERS:
            self._forget()
        names = [self._name(answer, refuse(answer)) for answer in answers]
        new: dict[SegmentName, FileAnswer] = {}
        for name, answer in zip(names, answers, strict=True):
            if name not in self._segments:
                new.setdefault(name, answer)
        if new:
            self._prove(new, refuse)
        segments = [self._segments[name] for name in names]
        self._create_outputs(answers, segments)
        subjects = []
        for answer, segment in zip(answers, segments, strict=True):
            subjects.append(self._subject(answer, segment, refuse))
        return subjects

    def _name(self, answer: FileAnswer, refuse: Refuse) -> SegmentName:
        document = answer.document
        if answer.document_segments is not None:
            try:
                self._known_segments.refuse_other_length(
                    document,
                    answer.document_segments,
                )
            except SegmentProblem as error:
                refuse(None, error.problem, error.remedy)
        if answer.is_number:
            document = self._column.document(
                document,
                answer.line,
                partial(refuse, None),
            )
        return SegmentName(
            answer.segment,
            document,
            answer.source,
            has_output_texts=any(text is not None for text in answer.texts),
            is_number=answer.is_number,
        )

    def _prove(
        self,
        new: Mapping[SegmentName, FileAnswer],
        refuse: Callable[[FileAnswer], Refuse],
    ) -> None:
        """Find the segments with these names and read their outputs; each name maps to the first answer using it."""
        named = []
        for name, answer in new.items():
            named.append(
                _find_or_refuse(refuse, answer, self._known_segments.candidates, name),
            )
        unnamed = set()
        for name, segment in zip(new, named, strict=True):
            if not segment and name.source:
                unnamed.add(name.source)
        by_source = self._segments_by_source(unnamed)
        candidates: dict[SegmentName, Sequence[KnownSegment]] = {}
        for name, segment in zip(new, named, strict=True):
            candidates[name] = segment or by_source.get(name.source, [])
            if not segment and len(candidates[name]) > 1:
                candidates[name] = self._with_outputs(candidates[name], new[name])
        sources = self._sources(candidates)
        for name, answer in new.items():
            self._segments[name] = _find_or_refuse(
                refuse,
                answer,
                self._known_segments.choose,
                name,
                candidates[name],
                sources,
            )
        self._read_outputs(
            {self._segments[name].key for name in new} - self._outputs.keys(),
        )

    def _read_outputs(self, segments: Collection[int]) -> None:
        names = {id_: name for name, id_ in self._systems.items()}
        self._outputs |= {segment: {} for segment in segments}
        self._source_texts |= _source_texts(segments)
        for key in segments:
            self._characters += len(self._source_texts[key] or "")
        outputs = Output.objects.current().filter(segment__in=segments)
        with table_scans_off():
            rows = outputs.values_list("segment_id", "system_id", "id", "text")
            for segment, system, id_, text in rows:
                self._outputs[segment][names[system]] = id_, text
                self._characters += len(text or "") + _CHARACTERS_OF_A_ROW

    def _segments_by_source(
        self,
        sources: Collection[str],
    ) -> dict[str | None, list[KnownSegment]]:
        segments: dict[str | None, list[KnownSegment]] = {}
        if sources:
            rows = Segment.objects.filter(
                test_set=self._test_set,
                source_text__in=list(sources),
            )
            for text, number in rows.values_list("source_text", "number"):
                segments.setdefault(text, []).append(
                    self._known_segments.numbered(number),
                )
        return segments

    def _with_outputs(
        self,
        segments: Sequence[KnownSegment],
        answer: FileAnswer,
    ) -> Sequence[KnownSegment]:
        """Return the segments of one source that have the outputs of an answer; all of them if none has."""
        outputs = Output.objects.current().filter(
            segment__in=[segment.key for segment in segments],
        )
        texts_by_output: dict[tuple[int, int | None], str | None] = {}
        for segment_id, system_id, text in outputs.values_list(
            "segment_id",
            "system_id",
            "text",
        ):
            texts_by_output[segment_id, system_id] = text
        fitting = []
        for segment in segments:
            is_fitting = True
            for systems, text in zip(answer.candidates, answer.texts, strict=False):
                for name in systems:
                    key = (segment.key, self._systems.get(name))
                    is_fitting &= _same_output(text, texts_by_output.get(key))
            if is_fitting:
                fitting.append(segment)
        return fitting or segments

    def _sources(
        self,
        candidates: Mapping[SegmentName, Sequence[KnownSegment]],
    ) -> dict[int, str | None]:
        segment_keys = set()
        for segment_name, matching in candidates.items():
            if segment_name.source is not None:
                for segment in matching:
                    segment_keys.add(segment.key)
        return _source_texts(segment_keys)

    def _create_outputs(
        self,
        answers: Sequence[FileAnswer],
        segments: Sequence[KnownSegment],
    ) -> None:
        """Create the outputs that judgments name in segments without texts."""
        missing = set()
        for answer, segment in zip(answers, segments, strict=True):
            without_output = self._systems.keys() - self._outputs[segment.key].keys()
            for systems in answer.candidates:
                for name in without_output.intersection(systems):
                    missing.add((segment.key, name))
        if not missing:
            return
        segment_ids = {segment for segment, _name in missing}
        bare = Segment.objects.filter(pk__in=segment_ids, source_text=None)
        without_texts = set(bare.values_list("id", flat=True))
        new = {}
        for key, name in sorted(missing):
            if key in without_texts:
                new[key, name] = Output(segment_id=key, system_id=self._systems[name])
        Output.objects.bulk_create(new.values())
        for (key, name), output in new.items():
            self._outputs[key][name] = output.pk, None

    def _refuse_system(
        self,
        name: str,
        segment: KnownSegment,
        refuse: Refuse,
    ) -> NoReturn:
        if name not in self._systems:
            refuse(
                None,
                f"the system {name} is unknown",
                f"correct the name, or add the system first; the test set has {self._systems_named}",
            )
        refuse(
            None,
            f"the system {name} has no output for segment {segment.number}",
            "correct the name, or import all outputs of the test set",
        )

    def _refuse_uncertain_places(
        self,
        answer: FileAnswer,
        position: int,
        segment: KnownSegment,
        refuse: Callable[[FileAnswer], Refuse],
    ) -> None:
        """Refuse positions in an output whose import removed characters before others, if the file does not have it.

        They may count in the text as it was or as it is: the former text is not kept.
        """
        if position not in answer.placed or (
            answer.texts and answer.texts[position] is not None
        ):
            return
        for name in answer.candidates[position]:
            if segment.number in self._moved.get(name, ()):
                refuse(answer)(
                    None,
                    f"the import of the texts removed blanks from the output of {name} for segment {segment.number}, so "
                    "positions in it are uncertain",
                    "add the text in which they count to each output, in a format that has it",
                )

    def _subject(
        self,
        answer: FileAnswer,
        segment: KnownSegment,
        refuse: Callable[[FileAnswer], Refuse],
    ) -> AnswerSubject:
        outputs = self._outputs[segment.key]
        ids = []
        texts = []
        for position, systems in enumerate(answer.candidates):
            try:
                named_outputs = [outputs[name] for name in systems]
            except KeyError as error:
                self._refuse_system(error.args[0], segment, refuse(answer))
            text = named_outputs[0][1]
            if any(not _looks_same(other, text) for _id, other in named_outputs[1:]):
                refuse(answer)(
                    None,
                    f"{', '.join(systems)} wrote different texts for segment {segment.number}",
                    "list them as separate candidates",
                )
            self._refuse_uncertain_places(answer, position, segment, refuse)
            if answer.texts and not _same_output(answer.texts[position], text):
                problem = f"the output of {systems[0]} for segment {segment.number} differs from the test set"
                remedy = "import the judgments of these texts, or import the texts that were judged"
                if _looks_same(answer.texts[position], text):
                    problem += ", although it looks the same"
                    remedy = "write accents, spaces and invisible characters as in the test set, whose positions count"
                refuse(answer)(None, problem, remedy)
            ids.append(tuple([id_ for id_, _text in named_outputs]))
            texts.append(text)
        block_texts = BlockTexts(tuple(texts), self._source_texts[segment.key])
        return AnswerSubject(segment.key, segment.number, tuple(ids), block_texts)


def _same_output(text: str | None, stored: str | None) -> bool:
    """Return whether a text is an output of the test set, whose import removed blanks around it."""
    return same_text(text, stored) or (
        text is not None and same_text(whole_text(text), stored)
    )


def _source_texts(segments: Collection[int]) -> dict[int, str | None]:
    if not segments:
        return {}
    return dict(
        Segment.objects.filter(pk__in=segments).values_list("id", "source_text"),
    )


def _looks_same(one: str | None, other: str | None) -> bool:
    """Return True if a design's text normalization may have merged the two texts."""
    return one == other or (
        one is not None
        and other is not None
        and text_to_the_eye(one) == text_to_the_eye(other)
    )


def _find_or_refuse(
    refuse: Callable[[FileAnswer], Refuse],
    answer: FileAnswer,
    find: Callable[..., _Result],
    *names: Any,
) -> _Result:
    """Return the result of `find`; if the segment is uncertain, refuse the answer with the reason."""
    try:
        return find(*names)
    except SegmentProblem as error:
        refuse(answer)(None, error.problem, error.remedy)
