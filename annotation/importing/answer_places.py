"""Which segment and which outputs of a test set the answers of a file are about."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from annotation.answer_files import FileAnswer
from campaign.importing.languages import language_tag
from campaign.models import Output, Segment, Task

#: Raises the error of an answer: for what field, which problem, and what to do.
Refuse = Callable[[str | None, str, str], NoReturn]

_NUMBER: Final = re.compile(r"[0-9]{1,9}")
#: What stands in front of the place in a document, in the names that WMT gives segments.
_PLACE: Final = re.compile(r"(.+?)(?:_###_|_#_)([0-9]{1,9})")
#: What no cell of a table holds: a file may have a blank instead.
_BLANKS: Final = str.maketrans("\t\r\n", "   ")
_NAMES_IN_ERRORS: Final = 20


@dataclass(frozen=True, slots=True)
class Place:
    """What an answer is about, by id, and the texts of its candidates as the test set has them."""

    segment: int
    number: int
    outputs: tuple[tuple[int, ...], ...]
    texts: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class _Segment:
    id: int
    number: int
    document: str
    position: int


class Places:
    """Finds segments and outputs; reads the names of all segments once, and texts as answers name them."""

    def __init__(self, task: Task) -> None:
        self._test_set = task.test_set
        self._systems = dict(self._test_set.systems.values_list("name", "id"))
        rows = Segment.objects.filter(test_set=self._test_set).values_list(
            "id", "number", "document__name", "position"
        )
        segments = [_Segment(*row) for row in rows]
        self._by_number = {each.number: each for each in segments}
        self._by_position = {(each.document, each.position): each for each in segments}
        self._documents = {each.document for each in segments}
        self._pair = tuple(
            map(_language, (self._test_set.source_language, self._test_set.target_language))
        )

    def of(
        self, answers: Sequence[FileAnswer], refuse: Callable[[FileAnswer], Refuse]
    ) -> list[Place]:
        """Return the place of each answer. Three queries.

        Refuses languages, segments and systems that the test set does not have, and texts that it has otherwise.
        """
        segments = self._segments(answers, refuse)
        sources = self._sources(segments)
        wanted = [
            (segment.id, self._system(name, refuse(answer)))
            for answer, segment in zip(answers, segments, strict=True)
            for candidate in answer.candidates
            for name in candidate
        ]
        outputs = _outputs(wanted)
        places = []
        for answer, segment in zip(answers, segments, strict=True):
            said = refuse(answer)
            _refuse_other_text(
                answer.source,
                sources[segment.id],
                f"the source text is another than that of segment {segment.number}",
                said,
            )
            places.append(self._place(answer, segment, outputs, said))
        return places

    def _segments(
        self, answers: Sequence[FileAnswer], refuse: Callable[[FileAnswer], Refuse]
    ) -> list[_Segment]:
        found = []
        for answer in answers:
            self._refuse_languages(answer, refuse(answer))
            found.append(self._named(answer))
        by_source = self._by_source(
            answer.source
            for answer, segment in zip(answers, found, strict=True)
            if segment is None and answer.source
        )
        return [
            segment or by_source.get(answer.source or "") or self._refuse_segment(answer, refuse)
            for answer, segment in zip(answers, found, strict=True)
        ]

    def _refuse_languages(self, answer: FileAnswer, refuse: Refuse) -> None:
        if all(answer.languages) and tuple(map(_language, answer.languages)) != self._pair:
            refuse(
                None,
                f"it is {answer.languages[0]} → {answer.languages[1]}, the test set "
                f'"{self._test_set.name}" {self._test_set.source_language} → {self._test_set.target_language}',
                "give a file of this test set",
            )

    def _named(self, answer: FileAnswer) -> _Segment | None:
        """Return the segment by its number, or by document and place in it; None if it has neither."""
        if not _NUMBER.fullmatch(answer.segment):
            parts = _PLACE.fullmatch(answer.segment)
            if parts is None:
                return None
            name, place = parts.group(1), int(parts.group(2))
            # As test sets made of Pearmut's campaigns call it, and as the file does.
            names = (name.replace("_###_", "/").replace("_#_", "/"), name, answer.document)
            return next(
                (found for each in names if (found := self._by_position.get((each, place)))), None
            )
        number = int(answer.segment)
        segment = self._by_number.get(number)
        if answer.document not in self._documents:
            return segment
        if segment is not None and segment.document == answer.document:
            return segment
        return self._by_position.get((answer.document, number))

    def _by_source(self, sources: Iterable[str]) -> dict[str, _Segment]:
        """Return segments by their source texts; those that have theirs alone."""
        wanted = list(set(sources))
        if not wanted:
            return {}
        rows = Segment.objects.filter(test_set=self._test_set, source_text__in=wanted)
        found: dict[str, list[int]] = {}
        for text, number in rows.values_list("source_text", "number"):
            found.setdefault(text or "", []).append(number)
        return {
            text: self._by_number[numbers[0]]
            for text, numbers in found.items()
            if len(numbers) == 1
        }

    def _refuse_segment(
        self, answer: FileAnswer, refuse: Callable[[FileAnswer], Refuse]
    ) -> NoReturn:
        of = f' of the document "{answer.document}"' if answer.document else ""
        last = max(self._by_number, default=0)
        refuse(answer)(
            None,
            f'the test set "{self._test_set.name}" has no segment {answer.segment}{of}; its last is {last}',
            "name segments by their number through the test set, by their document and their place in it, or give "
            "their source texts, each of which only one segment has",
        )

    def _sources(self, segments: Sequence[_Segment]) -> dict[int, str | None]:
        wanted = {segment.id for segment in segments}
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
        segment: _Segment,
        outputs: dict[tuple[int, int], tuple[int, str | None]],
        refuse: Refuse,
    ) -> Place:
        ids, texts = [], []
        for place, systems in enumerate(answer.candidates):
            found = [outputs.get((segment.id, self._systems[name])) for name in systems]
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
            if answer.texts:
                _refuse_other_text(
                    answer.texts[place],
                    text,
                    f"the output of {systems[0]} for segment {segment.number} is another text than in the test set",
                    refuse,
                )
            ids.append(tuple(id_ for id_, _text in there))
            texts.append(text)
        return Place(segment.id, segment.number, tuple(ids), tuple(texts))


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


def _refuse_other_text(said: str | None, there: str | None, problem: str, refuse: Refuse) -> None:
    """Refuse a text that is not the one of the test set; a table may have blanks for its tabs and line breaks."""
    if said is None or there is None or said == there:
        return
    if said.translate(_BLANKS) != there.translate(_BLANKS):
        refuse(
            None,
            problem,
            "give the file of the judgments of these texts, or import the texts that were judged",
        )


def _language(name: str) -> str:
    """Return the language without its region or script."""
    return language_tag(name.replace("_", "-")).split("-", 1)[0].lower()
