"""The report on the judges of a task of two outputs, with figures by hand."""

from typing import Any

import pytest

from annotation.services.numbers import judgments_number
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Judge, Protocol, Task
from protocols.two_outputs.files import LINES
from protocols.two_outputs.report import TwoOutputsResult, two_outputs_result
from protocols.two_outputs.statistics import Choice
from ranking.reports import Report
from ranking.reports.analyses.kind import JUDGMENT_OPTIONS
from ranking.reports.analyses.options import completed
from ranking.reports.stored import report_in
from ranking.selectors.chosen_judgments import judgments_chosen
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.judging import judged

pytestmark = pytest.mark.django_db


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    return make_task_of(Protocol.TWO_OUTPUTS, rules={"four_answers": True})


def read(
    task: Task,
    *,
    systems: tuple[str, str] | None = None,
    watermark: int | None = None,
    **given: Any,
) -> TwoOutputsResult:
    """Read the answers that count by these options."""
    last = judgments_number(task_id=task.pk)
    chosen = judgments_chosen(task=task, options=completed(JUDGMENT_OPTIONS, given))
    answers = LINES.chosen(task, last if watermark is None else watermark, chosen)
    return two_outputs_result(answers, systems=systems)


def told(task: Task, **given: Any) -> Report:
    """Ask the analysis, and return its answer in English."""
    choice = analysis_choice("two_outputs", given)
    analysis = analysis_compute(
        analysis=analysis_ask(task=task, choice=choice, is_queued=False),
    )
    return report_in(analysis.reports or {}, "en", data=analysis.data)


@pytest.fixture
def ada_and_ben(task: Task) -> tuple[Judge, Judge]:
    """Five sentences of cobalt and dune; Ben is shown them the other way round."""
    ada, ben = (make_judge(task.test_set.campaign, name) for name in ("ada", "ben"))
    for number, (one, other) in enumerate(
        [
            ("first", "second"),
            ("first", "both_fine"),
            ("second", "first"),
            ("both_fine", "both_wrong"),
            ("both_wrong", "both_wrong"),
        ],
        1,
    ):
        judged(task, ada, "cobalt", "dune", number=number, verdict=one)
        judged(task, ben, "dune", "cobalt", number=number, verdict=other)
    return ada, ben


@pytest.mark.thorough
def test_answers_are_about_systems_not_about_places(
    task: Task,
    ada_and_ben: tuple[Judge, Judge],
) -> None:
    found = read(task)
    assert found.systems == ("cobalt", "dune")
    [pair] = found.compared.pairs
    assert (pair.judges, pair.items, pair.agreeing) == (("ada", "ben"), 5, 3)
    assert pair.table[Choice.X] == (1, 0, 1, 0)
    assert found.compared.totals == ((2, 1, 1, 1), (1, 1, 1, 2))
    # P(E) = (2·1 + 1·1 + 1·1 + 1·2) / 25.
    assert (pair.p_agree, pair.p_chance) == pytest.approx((3 / 5, 6 / 25))
    # Five items say too little about κ.
    assert (pair.kappa, pair.reason) == (None, "interval_too_wide")
    assert found.merged is not None
    assert found.merged.pairs[0].agreeing == 4
    assert (found.compared.together.unanimous, found.merged.together.unanimous) == (
        3,
        4,
    )
    report = told(task)
    tables = {table.name: table for table in report.tables}
    assert tables["answers"].rows == [
        ["ada", 2, 1, 1, 1, 5],
        ["ben", 1, 1, 1, 2, 5],
        ["Total", 3, 2, 2, 3, 10],
    ]
    assert [row[-1] for row in tables["agreement"].rows] == [3 / 5, 4 / 5]
    assert tables["side_by_side"].rows[0] == ["cobalt is better", 1, 0, 1, 0, 2]
    assert tables["side_by_side"].rows[-1] == ["Total", 1, 1, 1, 2, 5]
    assert report.data["systems"] == ["cobalt", "dune"]
    assert report.data["input"]["watermark"] == 10


def test_two_systems_among_several(
    task: Task,
    ada_and_ben: tuple[Judge, Judge],
) -> None:
    ada, _ben = ada_and_ben
    judged(task, ada, "ember", "dune", number=6, verdict="first")
    everything = read(task)
    assert (everything.systems, everything.choices.items) == (None, 6)
    assert "P(E) does not depend" in str(told(task).notes)
    chosen = read(task, systems=("dune", "ember"))
    assert chosen.choices.choice.tolist() == [Choice.Y]


@pytest.mark.thorough
def test_the_excluded_are_left_out_and_a_watermark_holds(
    task: Task,
    ada_and_ben: tuple[Judge, Judge],
) -> None:
    assert len(read(task, watermark=0).choices.item) == 0
    assert read(task, watermark=4).choices.items == 2
    assert read(task, without=["ada"]).choices.judges == ("ben",)
    document = task.test_set.segments.get(number=1).document.name
    assert read(task, documents=[document]).choices.items == 5
    organiser = make_organiser(task.test_set.campaign)
    quality_action_take(
        judge=ada_and_ben[1],
        task=task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    assert read(task).choices.judges == ("ada",)
    assert read(task, excluded_judges="count").choices.judges == ("ada", "ben")
    assert told(task).notes[-1].startswith("No two judges compared")
