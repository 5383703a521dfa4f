"""Reports about how judges that are programs agree with people, and about their scores in files: none of it may happen here."""

import json
from datetime import datetime
from functools import partial
from io import BytesIO
from typing import Any, Final
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.importing.answers import AnswersImported, ImportOptions, answers_import
from annotation.importing.machine_answers import DIFFERING
from annotation.models import MachineJudgment
from annotation.services.planning.designs import design_ensure
from campaign.formats import FormatError
from campaign.formats.repeats import COUNTED_ONCE, REPLACED
from campaign.formats.streams import StoredFile
from campaign.importing.errors import ImportRefusedError
from campaign.models import Campaign, CampaignState, MachineJudge, Protocol, Task
from campaign.services.campaigns import task_create
from protocols.models import SpansAnswer
from tests.factories import make_campaign, make_judge, make_task
from tests.integration.machines.test_described_in_files import described
from tests.integration.machines.test_importing import imports, line, writer
from tests.integration.machines.test_judging import SYSTEMS, Machine
from tests.integration.machines.test_protocols import (
    judged_by_a_person,
    machine_client,
)
from tests.integration.protocols.every import hit_asked, judgment_put
from tests.integration.protocols.judging import Shown, labelled_all, rated_task
from tests.integration.ranking.answered import answer
from tests.integration.ranking.writing import TestSetWriter
from tests.protocol_tasks import make_task_of_protocol

pytestmark = pytest.mark.django_db
__all__ = ["writer"]


def analysed(task: Task, kind: str = "machines", **options: Any) -> dict[str, Any]:
    data: dict[str, Any] | None = answer(task, kind, **options).data
    assert data is not None
    json.dumps(data, allow_nan=False)
    return data


def figures_of(task: Task) -> dict[tuple[str, str], dict[str, Any]]:
    figures = {}
    for figure in analysed(task)["figures"]:
        figures[figure["figure"], figure["system"]] = figure
    return figures


def scored_by_two(campaign: Campaign, *systems: str) -> Task:
    """Error spans and scores of one output at a time: Ada and Ben score one of these systems for each segment."""
    ranking = make_task(campaign, documents=(12,), planned=0)
    task = task_create(test_set=ranking.test_set, protocol=Protocol.SPANS, by=None)
    design_ensure(task=task, seed=7)
    shown = []
    answers = []
    for place, name in enumerate(("ada", "ben")):
        judge = make_judge(campaign, name)
        for number in range(1, 13):
            system = systems[number % len(systems)]
            shown.append(
                Shown(judge=judge, systems=[system], number=number, labels=[1]),
            )
            answers.append(
                SpansAnswer(
                    scores=[50 + (7 * number + 5 * place) % 23],
                    span_candidates=[],
                    span_starts=[],
                    span_ends=[],
                    span_severities=[],
                ),
            )
    for stored, judgment in zip(answers, labelled_all(task, shown), strict=True):
        stored.judgment = judgment
    SpansAnswer.objects.bulk_create(answers)
    return task


def score_line(segment: int | str, system: str, score: Any, **more: Any) -> str:
    """Return a machine judge's score of an output, as its export has it."""
    row = {
        "machine": "judgebot",
        "version": "1",
        "segment": segment,
        "candidates": [system],
        "answer": {"outputs": [{"score": score, "spans": []}]},
        **more,
    }
    return json.dumps(row) + "\n"


def imported(task: Task, *texts: str) -> AnswersImported:
    files = []
    for number, text in enumerate(texts):
        stream = partial(BytesIO, text.encode())
        files.append(StoredFile(f"{number}.jsonl", stream))
    return answers_import(task=task, files=files, options=ImportOptions())


def test_outputs_of_one_system_are_enough_to_compare_a_machine_with_people() -> None:
    """tatsu-lab/alpaca_eval 293: judges could not be analysed on data of a single generator."""
    task = scored_by_two(make_campaign(), "cobalt")
    rows = [score_line(number, "cobalt", 40 + 3 * number) for number in range(1, 13)]
    imported(task, "".join(rows))
    found = figures_of(task)
    for name in ("same_score", "score_distance", "score_correlation"):
        figure = found[name, ""]
        assert figure["comparisons"] == 12
        assert figure["value"]["low"] is not None
        assert figure["people"] is not None
    # What compares systems has nothing to say; its mean score is completed.
    metrics = analysed(task, "metrics", resamples=100)
    assert (metrics["metrics"], metrics["left_out"]) == ([], ["judgebot 1"])
    [row] = analysed(task, "predicted_ranking", resamples=100)["systems"]
    assert (row["rank_low"], row["rank_high"]) == (1, 1)


def test_second_score_of_an_output_does_not_weigh_twice() -> None:
    """LiveBench/LiveBench 488, opensearch-project/search-relevance 95: 64 questions were judged 0 and 1, and counted ½."""
    task = scored_by_two(make_campaign(), "cobalt", "dune")
    once = "".join(
        score_line(1 + n, "dune" if n % 2 == 0 else "cobalt", 60) for n in range(12)
    )
    other = score_line(1, "dune", 10, duration_ms=5)
    with pytest.raises(FormatError, match=r"differs from that in 0\.jsonl, line 1"):
        imported(task, once, other)
    repeated = score_line(2, "cobalt", 60)
    result = imported(task, once + repeated, repeated)
    assert result.by_machines == 12
    losses = {loss.what: (loss.count, loss.first) for loss in result.losses}
    assert losses == {COUNTED_ONCE: (2, "0.jsonl, line 13")}
    later = imported(task, other)
    assert [(loss.what, loss.count) for loss in later.losses] == [(DIFFERING, 1)]
    assert figures_of(task)["score", ""]["value"]["value"] == 60


_EARLY: Final = "2026-11-30T12:00:00Z"
_LATE: Final = "2026-11-30T12:00:01Z"


@pytest.mark.parametrize("is_export", [False, True])
@pytest.mark.parametrize("times", [(_EARLY, _LATE), (_LATE, _EARLY)])
def test_later_of_two_scores_counts_in_every_format(
    is_export: bool,
    times: tuple[str, str],
) -> None:
    task = scored_by_two(make_campaign(), "cobalt", "dune")
    lines = []
    for time, score in zip(times, (60, 10.5), strict=True):
        if is_export:
            lines.append(score_line("1", "dune", score, submitted_at=time))
        else:
            values = {
                "segment": "1",
                "judge": "judgebot",
                "machine": True,
                "version": "1",
                "outputs": [{"systems": ["dune"], "score": score, "spans": []}],
                "ended_at": datetime.fromisoformat(time).timestamp(),
            }
            lines.append(json.dumps(values) + "\n")
    result = imported(task, "".join(lines))
    assert REPLACED in {loss.what for loss in result.losses}
    stored = MachineJudgment.objects.get()
    assert stored.answer is not None
    expected = 60 if times[0] == _LATE else 10
    assert stored.answer["outputs"][0]["score"] == expected


def test_empty_verdict_is_asked_again(writer: TestSetWriter) -> None:
    """tatsu-lab/alpaca_eval 300 and 340: null was cached, and never annotated again."""
    machine = Machine(writer.campaign)
    empty = json.loads(line(str(machine.judge), 1, SYSTEMS, [None, None, None]))
    imports(writer.task, json.dumps(empty) + "\n")
    assert MachineJudgment.objects.get().skip_reason == "not_stated"
    asked = [machine.put(block["id"]).status_code for block in machine.blocks()]
    assert asked == [200]
    now = timezone.now().isoformat()
    [again] = machine.work(skipped_before=now).json()["blocks"]
    assert machine.put(again["id"]).status_code == 200
    assert machine.work(skipped_before=now).status_code == 204
    assert MachineJudgment.objects.exclude(skip_reason="").count() == 1
    assert MachineJudgment.objects.current().filter(skip_reason="").count() == 2


def test_verdict_that_failed_is_no_tie(writer: TestSetWriter) -> None:
    """danielmiessler/LifeOS 1731, NVIDIA-NeMo/Gym 2103: an error was a tie, which is half a win."""
    machine = Machine(writer.campaign)
    [first] = machine.work().json()["blocks"]
    assert machine.put(first["id"]).status_code == 200
    [second] = machine.work().json()["blocks"]
    assert machine.skip(second["id"], "cannot_judge").status_code == 200
    data = analysed(writer.task)
    [ties] = [figure for figure in data["figures"] if figure["figure"] == "ties"]
    assert ties["value"]["value"] == 0
    assert ties["comparisons"] == 3
    [row] = data["machines"]
    assert (row["judgments"], row["skipped"], row["unanswered"]) == (1, 1, 1)


def test_machine_that_lost_half_of_its_answers_is_told_from_a_complete_one() -> None:
    """opensearch-project/search-relevance 521, UKGovernmentBEIS/inspect_ai 4955: both looked alike, or answers shifted."""
    task = rated_task(make_campaign())
    scored = scored_by_two(make_campaign("zoo"), "cobalt", "dune", "ember")
    ada = SpansAnswer.objects.filter(judgment__judge__pseudonym="ada")
    rows = []
    for stored in ada.order_by("judgment"):
        block = stored.judgment.block
        system = ("cobalt", "dune", "ember")[block.segment.number % 3]
        rows.append(score_line(block.segment.number, system, stored.scores[0]))
    imported(scored, "".join(rows[::2]))
    data = analysed(scored)
    [row] = data["machines"]
    assert (row["judgments"], row["unanswered"]) == (6, 6)
    found = {figure["figure"]: figure for figure in data["figures"][:3]}
    # Ada's scores, each beside those of the same output.
    assert found["same_score"]["value"]["value"] == 0.5
    assert found["same_score"]["comparisons"] == 6
    imported(scored, "".join(rows))
    [complete] = analysed(scored)["machines"]
    assert complete["unanswered"] == 0
    assert not MachineJudgment.objects.filter(task=task).exists()


def test_rating_on_another_scale_is_refused_in_files(subtests: pytest.Subtests) -> None:
    """IBM/unitxt 1960: a rating of [[10]] became a score above 1."""
    task = rated_task(make_campaign())
    for value in [8, 0, 0.8, 4.5, "4/5", "[[4]]", True, None]:
        with subtests.test(value=value):
            rows = []
            for criterion in ("fluency", "adequacy"):
                row = {
                    "segment": 1,
                    "systems": ["cobalt"],
                    "judge": "judgebot",
                    "machine": True,
                    "version": "1",
                    "criterion": criterion,
                    "value": value,
                }
                rows.append(json.dumps(row) + "\n")
            with pytest.raises(FormatError, match="line 1"):
                imported(task, "".join(rows))
            assert not MachineJudge.objects.exists()


def test_score_on_another_scale_is_refused_in_files(subtests: pytest.Subtests) -> None:
    """lm-sys/FastChat 2074: −1 stood for an error, and was averaged as a score."""
    task = scored_by_two(make_campaign(), "cobalt")
    for score in [-1, 100.5, 101, "80/100", "", [80], False]:
        with subtests.test(score=score):
            with pytest.raises((FormatError, ImportRefusedError), match="line 1"):
                imported(task, score_line(1, "cobalt", score))
            assert not MachineJudgment.objects.exists()


def test_verdict_that_the_task_does_not_have_is_refused(
    subtests: pytest.Subtests,
) -> None:
    """langwatch/langwatch 6110: a judge that was allowed no ties got one."""
    task = make_task_of_protocol(Protocol.TWO_OUTPUTS, state=CampaignState.OPEN)
    campaign = task.test_set.campaign
    judged_by_a_person(campaign)
    client = machine_client(campaign)
    block = hit_asked(client)["blocks"][0]
    for verdict in ["tie", "TIE", "C", "A", "both", "", None, 1, ["first"]]:
        with subtests.test(verdict=verdict):
            for key in ("choice", "answer"):
                put = judgment_put(client, block, answer={key: verdict})
                assert put.status_code == 400
            names = list(task.test_set.systems.values_list("name", flat=True))[:2]
            row = {
                "segment": 1,
                "first": names[0],
                "second": names[1],
                "judge": "bot 1",
                "answer": verdict,
            }
            with pytest.raises(FormatError, match="line 1"):
                imported(task, json.dumps(row) + "\n")
            assert not MachineJudgment.objects.exists()


def test_endless_answer_is_refused_and_may_be_sent_again() -> None:
    """zouharvi/last-translation-benchmark 199: a program repeated “our” without end."""
    task = make_task_of_protocol(Protocol.EDITING, state=CampaignState.OPEN)
    campaign = task.test_set.campaign
    judged_by_a_person(campaign)
    client = machine_client(campaign)
    block = hit_asked(client)["blocks"][0]
    id_ = uuid4()
    endless = {"outcome": "edited", "text": "our " * 250_000}
    refused = judgment_put(client, block, id_, answer=endless)
    assert refused.status_code in (400, 413), refused.status_code
    assert refused.json()["detail"]
    assert not MachineJudgment.objects.exists()
    edited = {"outcome": "edited", "text": "A short edit."}
    assert judgment_put(client, block, id_, answer=edited).status_code == 200


def test_two_judges_of_one_name_in_one_file_are_two(writer: TestSetWriter) -> None:
    """etalab-ia/evalap 138: a model without its version was another model the next month."""
    with pytest.raises(FormatError, match="version"):
        imports(writer.task, described(version=None))
    imports(writer.task, described(version="2026-11"), described(version="2026-12"))
    names = {row["machine"] for row in analysed(writer.task)["machines"]}
    assert names == {"judgebot 2026-11", "judgebot 2026-12"}
