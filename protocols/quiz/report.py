"""Report on readers' comprehension of each system's outputs, for page, REST and command."""

from collections.abc import Sequence
from operator import attrgetter

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol
from protocols.frame.tables import (
    AnalysisOptions,
    analysis_of_lines,
    one_judge_notes,
    report_of_answers,
)
from protocols.quiz.files import LINES
from protocols.quiz.statistics import (
    FEWEST_SNIPPETS,
    QuizScore,
    QuizScores,
    Reading,
    met_again,
    scores_of_readings,
)
from ranking.core.scores import Shortage
from ranking.reports.analyses.options import CONFIDENCE
from ranking.reports.inputs import AnswersOfFiles, Input
from ranking.reports.plots import interval_plot
from ranking.reports.tables import Column, Report, Table, estimate_columns
from ranking.reports.wording.methods import lowered, not_yet_in_words
from ranking.reports.wording.numbers import all_in_figures, percent_in_figures


def _tell(
    analysis_input: Input | AnswersOfFiles,
    _options: AnalysisOptions,
    scores: QuizScores,
) -> Report:
    """Report the share of correct answers by system and by reader."""
    rows: list[Reading] = analysis_input.answers.rows
    counted = {
        "readings": len(rows),
        "snippets": len({row.snippet for row in rows}),
        "judges": len({row.judge for row in rows}),
    }
    again = met_again(rows)
    readers = []
    for row in rows:
        readers.append((row.systems, row.judge))
    notes = [
        _("Readings: %(readings)s; snippets: %(snippets)s; judges: %(judges)s.")
        % all_in_figures(**counted),
        _(
            "Guessing gets half of the answers right. Intervals: Clopper–Pearson on the effective number of answers, clustered by snippet and judge (%(confidence)s%% confidence).",
        )
        % {"confidence": percent_in_figures(scores.confidence)},
        *one_judge_notes(readers),
    ]
    if again:
        notes.append(
            _(
                "Warning: readings by judges who had already read the snippet: %(count)s.",
            )
            % all_in_figures(count=again),
        )
    return report_of_answers(
        analysis_input=analysis_input,
        counted={**counted, "met_again": again},
        notes=notes,
        tables=[
            _table(
                "systems",
                _("Right answers by system"),
                _("System"),
                scores.systems,
            ),
            _table("readers", _("Right answers by judge"), _("Judge"), scores.readers),
        ],
        data=vars(scores),
    )


def _table(name: str, title: str, heading: str, rows: Sequence[QuizScore]) -> Table:
    is_ranked = name == "systems"
    notes = []
    for row in rows:
        if row.snippets < FEWEST_SNIPPETS:
            notes.append(
                _("Intervals: %(system)s: %(why)s.")
                % {
                    "system": row.name,
                    "why": lowered(
                        not_yet_in_words(
                            Shortage("snippets", row.snippets, FEWEST_SNIPPETS),
                        ),
                    ),
                },
            )
    return Table.of(
        rows,
        name=name,
        title=title,
        columns=(
            Column(
                "name",
                heading,
                is_text=True,
                names="system" if is_ranked else "judge",
            ),
            *((Column("rank", _("Rank")),) if is_ranked else ()),
            *estimate_columns("share", _("Right"), attrgetter("share")),
            Column("right", _("Right answers"), of=attrgetter("share.successes")),
            Column("questions", _("Questions"), of=attrgetter("share.trials")),
            Column("unanswered", _("Unanswered")),
            Column("snippets", _("Snippets")),
        ),
        notes=notes,
        plot=interval_plot("name", "share", mark=0.5),
    )


ANALYSIS = analysis_of_lines(
    LINES,
    name="quiz",
    title=gettext_lazy("Right answers"),
    question=gettext_lazy(
        "How many statements do readers of each system judge correctly?",
    ),
    options=(CONFIDENCE,),
    protocols=frozenset({Protocol.QUIZ}),
    stands_for_ranking=True,
    step=gettext_lazy("Counting"),
    find=lambda analysis_input, options: scores_of_readings(
        analysis_input.answers.rows,
        confidence=options[CONFIDENCE.name],
    ),
    tell=_tell,
)
