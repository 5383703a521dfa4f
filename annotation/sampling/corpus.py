"""Texts from which HITs are drawn, and the rules by which they count as the same."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from typing import TypeVar

from annotation.sampling.parameters import DesignParameters, Normalisation
from campaign.texts.normalisation import normalise_text, text_to_the_eye

T = TypeVar("T")


class OutputKind(StrEnum):
    """Author of an output: the values of `campaign.models.SystemKind`."""

    SYSTEM = "system"
    REFERENCE = "reference"
    BAD_REFERENCE = "bad_reference"


@dataclass(frozen=True, slots=True)
class SystemOutput:
    """An output that may be drawn: its system's name, row id, text, and the kind of its system."""

    system: str
    output_id: int
    text: str
    kind: OutputKind = OutputKind.SYSTEM


@dataclass(frozen=True, slots=True)
class DistinctText:
    """One text of a segment and the systems that wrote it.

    Attributes
    ----------
    systems : tuple of str
        In alphabetical order.
    output_ids : tuple of int
        Ascending.
    kinds : frozenset of OutputKind
        Of those systems.
    """

    systems: tuple[str, ...]
    output_ids: tuple[int, ...]
    kinds: frozenset[OutputKind]

    @property
    def only_reference(self) -> bool:
        """True if this text is only a reference, and no system's output."""
        return self.kinds == {OutputKind.REFERENCE}


@dataclass(frozen=True, slots=True)
class SegmentOutputs:
    """The outputs of a segment that HITs may show.

    Attributes
    ----------
    number : int
        Number of the segment in its test set.
    words : int
        Number of words of the source.
    outputs : tuple of SystemOutput
        In any order; a system's name occurs once.
    """

    number: int
    words: int
    outputs: tuple[SystemOutput, ...]

    def taking_part(self, parameters: DesignParameters) -> tuple[DistinctText, ...]:
        """Return the distinct texts that blocks of a design may show, damaged references left out.

        Each stands only for systems that the design draws, even if other systems wrote the same
        text.
        """
        outputs = [output for output in self.outputs if takes_part(output, parameters)]
        return distinct_texts(outputs, parameters.normalisation)

    def damaged(self, normalisation: Normalisation) -> tuple[DistinctText, ...]:
        """Return the damaged references that differ from every text of a system or reference.

        One that does not differ cannot serve as a check: preferring it would reveal nothing.
        """
        texts = distinct_texts(self.outputs, normalisation)
        return tuple(text for text in texts if text.kinds == {OutputKind.BAD_REFERENCE})


def takes_part(output: SystemOutput, parameters: DesignParameters) -> bool:
    """Return whether blocks of a design may show an output, damaged references left out."""
    if output.kind is OutputKind.REFERENCE:
        by_rate = parameters.reference_rate
        chosen = parameters.systems
        if not chosen:
            return by_rate != 0
        return bool(by_rate) or output.system in chosen
    return output.kind is OutputKind.SYSTEM and (
        not parameters.systems or output.system in parameters.systems
    )


def normalised(text: str, normalisation: Normalisation) -> str:
    """Return the text in the form used for comparing texts."""
    if normalisation is Normalisation.EXACT:
        return text
    if normalisation is Normalisation.EYE:
        return text_to_the_eye(text)
    return normalise_text(text)


def distinct_texts(
    outputs: Iterable[SystemOutput],
    normalisation: Normalisation,
) -> tuple[DistinctText, ...]:
    """Return a `DistinctText` for each different text, sorted by the name of its first system."""
    sharing: dict[str, list[SystemOutput]] = {}
    for output in outputs:
        sharing.setdefault(normalised(output.text, normalisation), []).append(output)
    texts = []
    for same in sharing.values():
        text = DistinctText(
            systems=tuple(sorted(output.system for output in same)),
            output_ids=tuple(sorted(output.output_id for output in same)),
            kinds=frozenset(output.kind for output in same),
        )
        texts.append(text)
    return tuple(sorted(texts, key=attrgetter("systems")))
