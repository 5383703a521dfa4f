"""The texts a draw chooses from, and which of them count as the same."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from annotation.sampling.parameters import DesignParameters, Normalisation
from campaign.texts.normalisation import normalise_text, text_to_the_eye

T = TypeVar("T")


class OutputKind(StrEnum):
    """Author of an output: the values of `campaign.models.SystemKind`."""

    SYSTEM = "system"
    REFERENCE = "reference"
    BAD_REFERENCE = "bad_reference"


_SYSTEMS = frozenset({OutputKind.SYSTEM})
_TAKING_PART = _SYSTEMS | {OutputKind.REFERENCE}


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
        """Return whether a reference wrote this text and no system did."""
        return self.kinds == {OutputKind.REFERENCE}


@dataclass(frozen=True)
class SegmentOutputs:
    """The outputs of a segment that HITs may show.

    Attributes
    ----------
    number : int
        Of the segment in its test set.
    words : int
        Of the source.
    outputs : tuple of SystemOutput
        In any order; a system's name occurs once.
    """

    number: int
    words: int
    outputs: tuple[SystemOutput, ...]
    # Results of `cached`: a segment comes up again and again while HITs are planned.
    _known: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def cached(self, key: Hashable, made: Callable[[], T]) -> T:
        """Return the result of `made`, a function of this segment alone; computed once for each key."""
        if key not in self._known:
            self._known[key] = made()
        known: T = self._known[key]
        return known

    def distinct(
        self, normalisation: Normalisation, *, references: bool = True
    ) -> tuple[DistinctText, ...]:
        """Return the distinct texts of systems, and of references if they take part.

        Sorted by their first system's name, whatever the order of the outputs.
        """
        return self._collapsed(normalisation, _TAKING_PART if references else _SYSTEMS)

    def taking_part(self, parameters: DesignParameters) -> tuple[DistinctText, ...]:
        """Return the distinct texts that blocks of a design may show, damaged references left out.

        They stand only for systems that the design draws, even if another one wrote the same text.
        """
        if not parameters.systems:
            return self.distinct(
                parameters.normalisation, references=parameters.reference_rate != 0
            )
        chosen = frozenset(parameters.systems)
        by_rate = bool(parameters.reference_rate)
        key = ("taking part", parameters.normalisation, chosen, by_rate)
        return self.cached(
            key,
            lambda: distinct_texts(
                (output for output in self.outputs if takes_part(output, parameters)),
                parameters.normalisation,
            ),
        )

    def damaged(self, normalisation: Normalisation) -> tuple[DistinctText, ...]:
        """Return the damaged references that differ from every text of a system or reference.

        One that does not differ is no check: preferring it would reveal nothing.
        """
        return tuple(
            text
            for text in self._collapsed(normalisation, frozenset(OutputKind))
            if text.kinds == {OutputKind.BAD_REFERENCE}
        )

    def _collapsed(
        self, normalisation: Normalisation, kinds: frozenset[OutputKind]
    ) -> tuple[DistinctText, ...]:
        return self.cached(
            (normalisation, kinds),
            lambda: distinct_texts((o for o in self.outputs if o.kind in kinds), normalisation),
        )


def takes_part(output: SystemOutput, parameters: DesignParameters) -> bool:
    """Return whether blocks of a design may show an output, damaged references left out."""
    if output.kind is OutputKind.REFERENCE:
        by_rate = parameters.reference_rate
        chosen = parameters.systems
        return by_rate != 0 if not chosen else bool(by_rate) or output.system in chosen
    return output.kind is OutputKind.SYSTEM and (
        not parameters.systems or output.system in parameters.systems
    )


def normalised(text: str, normalisation: Normalisation) -> str:
    """Return the text in the form in which texts are compared."""
    if normalisation is Normalisation.EXACT:
        return text
    if normalisation is Normalisation.EYE:
        return text_to_the_eye(text)
    return normalise_text(text)


def distinct_texts(
    outputs: Iterable[SystemOutput], normalisation: Normalisation
) -> tuple[DistinctText, ...]:
    """Return a `DistinctText` for each different text, sorted by their first system's name."""
    sharing: dict[str, list[SystemOutput]] = {}
    for output in outputs:
        sharing.setdefault(normalised(output.text, normalisation), []).append(output)
    return tuple(
        sorted(
            (
                DistinctText(
                    systems=tuple(sorted(output.system for output in same)),
                    output_ids=tuple(sorted(output.output_id for output in same)),
                    kinds=frozenset(output.kind for output in same),
                )
                for same in sharing.values()
            ),
            key=lambda text: text.systems,
        )
    )
