"""Compare machine judges with people: agreement, biases, and the alternative annotator test."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NotRequired, TypedDict

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.joining import comma_list
from campaign.texts.media import marked_text
from ranking.core.arrays import FloatArray, Int64Array
from ranking.core.beside import OutputScores, ScoredTask
from ranking.core.estimates import Estimate
from ranking.core.metrics.alternative_annotators import (
    FEWEST_ITEMS,
    AlternativeAnnotators,
    TooFewPeopleError,
)
from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.machine_judges import (
    FigureBesidePeople,
    MachineAnswers,
    MachineBesidePeople,
    ScoresBesidePeople,
    annotators_of_blocks,
    annotators_of_scores,
    pairs_as_shown,
    pairs_scored,
    unanswered,
)
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need
from ranking.reports.analyses.options import CONFIDENCE, AnalysisOptions, Option
from ranking.reports.correlations import interval_columns
from ranking.reports.inputs import Input, report_on
from ranking.reports.tables import Column, Report, Table, system_column, with_rows
from ranking.reports.wording.numbers import in_figures

EPSILON: Final = Option(
    name="epsilon",
    label=gettext_lazy("Advantage of people in the alternative annotator test (ε)"),
    default=0.2,
    low=0,
    high=0.99,
    help=gettext_lazy(
        "How much more often people must agree with others to be worth their cost. The authors suggest 20% for experts, 15% for skilled people and 10% for crowd workers.",
    ),
)
_FIGURES: Final = {
    "agreement": gettext_lazy("Agreement with a person"),
    "kappa": gettext_lazy("Agreement beyond chance (κ)"),
    "ties": gettext_lazy("Ties"),
    "first": gettext_lazy("Preference for the output shown first"),
    "consistency": gettext_lazy("Same answer in both orders"),
    "longer": gettext_lazy("Preference for the longer output"),
    "system": gettext_lazy("Preference for a system"),
    "same_score": gettext_lazy("Same score as a person"),
    "score_distance": gettext_lazy("Distance from a person’s score"),
    "score_correlation": gettext_lazy("Correlation with a person’s scores"),
    "score": gettext_lazy("Mean score"),
}


class MachineRow(TypedDict):
    """A machine judge with the results of the alternative annotator test; without them if people are too few.

    `unanswered` is the number of blocks that people judged and it did not, skipped ones included.
    """

    machine: str
    judgments: int
    skipped: int
    unanswered: int
    people: NotRequired[int]
    answers: NotRequired[int]
    won: NotRequired[int]
    winning_rate: NotRequired[float]
    advantage: NotRequired[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFigure:
    """A figure of a machine judge, see `FigureBesidePeople`."""

    machine: str
    figure: str
    system: str
    value: Estimate | None
    people: Estimate | None
    difference: Estimate | None
    comparisons: int


@dataclass(frozen=True, kw_only=True)
class MachinesFindings:
    """The tests and figures of machine judges."""

    machines: Sequence[MachineRow]
    figures: Sequence[MachineFigure]
    is_scored: bool
    epsilon: float
    confidence: float


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> MachinesFindings:
    machines = []
    figures = []
    lengths = _lengths(inputs)
    drawing = Drawing(confidence=options[CONFIDENCE])
    progress = begin(_("Machine judges"))
    answers = inputs.machines or ()
    for number, machine in enumerate(answers):
        progress(number, len(answers))
        if isinstance(inputs.judged, ScoredTask):
            if machine.scores is None:
                continue
            of_machine = _figures_of_scores(
                inputs,
                inputs.judged.scores,
                machine.scores,
                lengths,
                drawing,
            )
        else:
            of_machine = _figures_of_blocks(inputs, machine, lengths, drawing)
        for figure in of_machine:
            figures.append(MachineFigure(machine=machine.name, **vars(figure)))
        machines.append(_annotator_test_row(inputs, machine, options[EPSILON]))
    if answers and not machines:
        raise ValueError(_("Answers of this protocol have no scores to compare."))
    if not machines:
        raise ValueError(_("No answers of machine judges match these options."))
    return MachinesFindings(
        machines=machines,
        figures=figures,
        is_scored=isinstance(inputs.judged, ScoredTask),
        epsilon=options[EPSILON],
        confidence=options[CONFIDENCE],
    )


def _figures_of_blocks(
    inputs: Input,
    machine: MachineAnswers,
    lengths: FloatArray,
    drawing: Drawing,
) -> Iterator[FigureBesidePeople]:
    """Yield the figures of a machine judge that ranks outputs."""
    people = pairs_as_shown(inputs.blocks)
    by_machine = pairs_as_shown(machine.blocks)
    beside = MachineBesidePeople(people, by_machine, inputs.blocks.systems, drawing)
    yield from beside.figures(lengths, has_positions=True)


def _figures_of_scores(
    inputs: Input,
    people: OutputScores,
    machine: OutputScores,
    lengths: FloatArray,
    drawing: Drawing,
) -> Iterator[FigureBesidePeople]:
    """Yield the figures of a machine judge that scores outputs, and of the pairs of outputs that one judge scored."""
    systems = inputs.blocks.systems
    texts = _text_numbers(inputs, machine)
    scores = ScoresBesidePeople(people, machine, systems, texts, drawing)
    yield from scores.figures()
    people_pairs = pairs_scored(people, systems, texts)
    machine_pairs = pairs_scored(machine, systems, texts)
    pairs = MachineBesidePeople(people_pairs, machine_pairs, systems, drawing)
    yield from pairs.figures(lengths, has_positions=False)


def _annotator_test_row(
    inputs: Input,
    machine: MachineAnswers,
    epsilon: float,
) -> MachineRow:
    """Return the results of the alternative annotator test."""
    row: MachineRow = {
        "machine": machine.name,
        "judgments": len(machine.blocks),
        "skipped": machine.skipped,
        "unanswered": unanswered(inputs.blocks, machine.blocks),
    }
    try:
        test = _annotator_test(inputs, machine, epsilon)
    except TooFewPeopleError:
        return row
    is_compared = ~np.isnan(test.p_value)
    row["people"] = int(np.count_nonzero(is_compared))
    row["answers"] = int(test.items[is_compared].sum())
    row["won"] = int(np.count_nonzero(test.wins))
    row["winning_rate"] = test.winning_rate
    row["advantage"] = test.advantage_probability
    return row


def _annotator_test(
    inputs: Input,
    machine: MachineAnswers,
    epsilon: float,
) -> AlternativeAnnotators:
    if not isinstance(inputs.judged, ScoredTask):
        return annotators_of_blocks(inputs.blocks, machine.blocks, epsilon=epsilon)
    assert machine.scores is not None  # noqa: S101  `_find` left the others out
    return annotators_of_scores(
        inputs.judged.scores,
        machine.scores,
        inputs.blocks.systems,
        _text_numbers(inputs, machine.scores),
        epsilon=epsilon,
    )


def _text_numbers(inputs: Input, scores: OutputScores) -> Int64Array:
    """Return the number of each output's text by segment number: that of the first system with this text.

    Segments are those of people and of a machine judge.
    """
    systems = inputs.blocks.systems
    last = max(int(inputs.blocks.segment.max()), int(scores.segment.max()))
    numbers = np.tile(np.arange(len(systems), dtype=np.int64), (last + 1, 1))
    first_systems: dict[tuple[int, str], int] = {}
    for column, system in enumerate(systems):
        texts = (inputs.texts and inputs.texts.of(system)) or ()
        for segment, text in enumerate(texts[:last], 1):
            if text is not None:
                first = first_systems.setdefault((segment, text), column)
                numbers[segment, column] = first
    return numbers


def _lengths(inputs: Input) -> FloatArray:
    """Return the numbers of characters of outputs by segment number; NaN where unknown."""
    lengths = np.full(
        (int(inputs.blocks.segment.max()) + 1, len(inputs.blocks.systems)),
        np.nan,
    )
    for column, system in enumerate(inputs.blocks.systems):
        texts = (inputs.texts and inputs.texts.of(system)) or ()
        for number, text in enumerate(texts[: len(lengths) - 1], 1):
            # Pictures and recordings have no length.
            words = marked_text(text or "").words
            if words:
                lengths[number, column] = len(words)
    return lengths


def _tell(inputs: Input, _options: AnalysisOptions, answer: MachinesFindings) -> Report:
    tables = with_rows([_figures_table(answer), _machines_table(answer)])
    return report_on(inputs, notes=_notes(answer), tables=tables, data=vars(answer))


def _notes(answer: MachinesFindings) -> list[str]:
    if answer.is_scored:
        items = _(
            "Each machine judge is compared with people on the same items: an output, or two outputs of a segment that one judge scored. Its answers count in no other figure.",
        )
    else:
        items = _(
            "Each machine judge is compared with people on the same items: two outputs of a segment. Its answers count in no other figure.",
        )
    notes = [items]
    untested = [row["machine"] for row in answer.machines if "won" not in row]
    if untested:
        message = _(
            "No alternative annotator test for %(names)s: it needs people with at least %(items)s answers to what the machine judge and at least two other people answered, too.",
        )
        notes.append(message % {"names": comma_list(untested), "items": FEWEST_ITEMS})
    return notes


def _machine_column() -> Column:
    return Column("machine", _("Machine judge"), is_text=True)


def _machines_table(answer: MachinesFindings) -> Table:
    message = _(
        "The machine judge wins against a person if tests show, at a false discovery rate of 5%%, that this person’s lead in agreeing with the others is below ε = %(epsilon)s. It may replace people if it wins against at least half of them (Calderon et al. 2025).",
    )
    return Table.of(
        answer.machines,
        name="machines",
        title=_("Alternative annotator test"),
        columns=(
            _machine_column(),
            Column("judgments", _("Judgments")),
            Column("skipped", _("Skipped")),
            Column("unanswered", _("Not answered")),
            Column("people", _("People compared")),
            Column("answers", _("Their judgments")),
            Column("won", _("Wins")),
            Column("winning_rate", _("Winning rate ω")),
            Column("advantage", _("Advantage probability ρ")),
        ),
        notes=[
            message % {"epsilon": in_figures(answer.epsilon)},
            _(
                "Not answered: blocks that people judged and the machine judge did not, skipped ones included.",
            ),
        ],
    )


def _figure_in_words(row: MachineFigure) -> str:
    return str(_FIGURES[row.figure])


def _figures_table(answer: MachinesFindings) -> Table:
    confidence = answer.confidence
    notes = []
    if answer.is_scored:
        notes.append(
            _(
                "Scores of the same output are compared: those of a machine judge and a person and, as the ceiling, those of two people. Distance is the mean absolute difference. Here, comparisons are scored outputs.",
            ),
        )
    notes.append(
        _(
            "Agreement is the share of comparisons with the same outcome; that of two people is the ceiling. By chance, two judges tie as often as they do, and prefer either output otherwise. Preferences count ties as halves. People also prefer what is better, so a bias is the difference from people. A machine judge that favours a system may be based on the same model.",
        ),
    )
    return Table.of(
        answer.figures,
        name="figures",
        title=_("Machine judges and people on the same items"),
        columns=(
            _machine_column(),
            Column("figure", _("Figure"), is_text=True, of=_figure_in_words),
            system_column(),
            *interval_columns("value", _("Machine judge"), confidence),
            *interval_columns("people", _("People"), confidence),
            *interval_columns("difference", _("Difference"), confidence),
            Column("comparisons", _("Comparisons")),
        ),
        keys=3,
        notes=notes,
    )


MACHINES: Final = AnalysisKind(
    name="machines",
    title=gettext_lazy("Machine judges"),
    question=gettext_lazy(
        "How far do machine judges agree with people, and are they biased?",
    ),
    options=(EPSILON, CONFIDENCE),
    page="judges",
    needs=frozenset({Need.OTHER_TASKS, Need.MACHINES}),
    is_slow=True,
    find=_find,
    tell=_tell,
)
