"""Weights of errors, from which scores are derived as in MQM."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from protocols.spans.records import LEVELS, ScoredOutput, Severity, Span

MAX_WEIGHT: Final = 1000
#: Stands for all severities.
ANY: Final = "any"
_LINE: Final = re.compile(
    rf"({'|'.join([ANY, *Severity])})(?: (.*))?: ?([0-9]+(?:[.,][0-9]+)?)",
)


class Weight(NamedTuple):
    """Weight of the errors of a severity and a category.

    Attributes
    ----------
    severity : str
        A severity, or "any".
    category : str
        Start of the category's name, in any case; with a slash before it, the whole second level;
        empty for all categories.
    weight : float
    """

    severity: str
    category: str
    weight: float

    def is_of(self, span: Span) -> bool:
        """Return whether this is the weight of an error."""
        pattern = self.category.casefold()
        category = span.category.casefold()
        is_of_category = category.startswith(pattern)
        if pattern.startswith(LEVELS):
            is_of_category = category.endswith(pattern)
        return is_of_category and self.severity in (ANY, span.severity)


@dataclass(frozen=True, slots=True)
class Weights:
    """A table of weights; of those that fit an error, the first counts.

    Attributes
    ----------
    lines : tuple of str
        A weight on each, such as "minor Fluency/Punctuation: 0.1".
    rows : tuple of Weight
        The same.
    """

    lines: tuple[str, ...]
    rows: tuple[Weight, ...]

    def weight_of(self, span: Span) -> float:
        """Return the weight of an error."""
        return next(row.weight for row in self.rows if row.is_of(span))


def weights_read(lines: Sequence[str]) -> Weights:
    """Return the weights on lines; without lines, those of Freitag et al. (2021).

    Raises
    ------
    ValueError
        If a line cannot be read, a weight is out of range, or errors of a severity have no weight.
    """
    rows = []
    lines = lines or GOOGLE_2021
    for line in lines:
        match = _LINE.fullmatch(line.strip())
        if match is None:
            raise ValueError(
                f"“{line}” is not a severity ({', '.join([*Severity, ANY])}), a category or none, a colon and a number",
            )
        weight = float(match[3].replace(",", "."))
        if weight > MAX_WEIGHT:
            raise ValueError(f"the weight {weight:g} is more than {MAX_WEIGHT}")
        rows.append(Weight(match[1], match[2] or "", weight))
    for severity in Severity:
        # A category that no pattern fits.
        if not any(row.is_of(Span(0, 1, severity, "\0")) for row in rows):
            raise ValueError(
                f"there is no weight for {severity} errors of other categories",
            )
    return Weights(tuple(lines), tuple(rows))


#: Freitag et al. (2021), who have no critical errors; these weigh as much as major ones.
GOOGLE_2021: Final = (
    "any Non-translation: 25",
    "critical: 5",
    "major: 5",
    "minor /Punctuation: 0.1",
    "minor: 1",
    "neutral: 0",
)
#: The usual weights of MQM (Lommel et al. 2024).
MQM_CORE: Final = ("critical: 25", "major: 5", "minor: 1", "neutral: 0")
WEIGHT_PRESETS: Final = {"google-2021": GOOGLE_2021, "mqm-core": MQM_CORE}
USUAL_WEIGHTS: Final = weights_read(GOOGLE_2021)


def weighted_score(
    output: ScoredOutput,
    weights: Weights = USUAL_WEIGHTS,
) -> float | None:
    """Return minus the sum of the weights of an output's errors; None if not annotated.

    Google's files and papers print the sum without the minus sign.
    """
    if output.spans is None:
        return None
    # 0.0 is added so that no errors give 0 rather than -0.
    return 0.0 - sum(weights.weight_of(span) for span in output.spans)
