"""One id for submissions of two judges at the same moment: one is stored, the other refused in words."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID, uuid4

import pytest
from django.db import connection

from annotation.models import Judgment, Skip
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import judgments_number
from annotation.services.submission import SentJudgment, judgment_submit, skip_submit
from campaign.models import Task
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_task

JUDGES = 8
Submit = Callable[[AssignedBlock, UUID], object]


def rank(assigned: AssignedBlock, client_id: UUID) -> object:
    labels = [min(rank, 5) for rank in range(1, len(assigned.candidates) + 1)]
    return judgment_submit(
        assigned=assigned,
        client_id=client_id,
        sent=SentJudgment(labels=labels),
    )


def skip(assigned: AssignedBlock, client_id: UUID) -> object:
    return skip_submit(assigned=assigned, client_id=client_id, reason="cannot_judge")


def blocks_of_judges() -> list[list[AssignedBlock]]:
    """The blocks of a HIT of each judge; the HITs are of two test sets, which number apart."""
    campaign = make_campaign()
    for name, target in (("museum en-de", "de"), ("museum en-fr", "fr")):
        make_task(campaign, name=name, target_language=target, planned=JUDGES)
    judges = [
        make_judge(
            campaign,
            f"judge{number}",
            languages=["en", ("de", "fr")[number % 2]],
        )
        for number in range(JUDGES)
    ]
    return [assigned_blocks(lend(judge)) for judge in judges]


@pytest.mark.django_db(transaction=True)
# A block can be judged again, but be skipped once.
@pytest.mark.parametrize(
    ("submit", "model", "times"),
    [(rank, Judgment, 8), (skip, Skip, 1)],
)
def test_one_id_of_many_judges_at_once_is_stored_once_and_refused_to_the_others(
    submit: Submit,
    model: type[Judgment | Skip],
    times: int,
) -> None:
    held = [blocks * times for blocks in blocks_of_judges()]
    together = Barrier(JUDGES)
    ids = [uuid4() for _block in held[0]]

    def work(mine: list[AssignedBlock]) -> list[str]:
        outcomes = []
        try:
            for assigned, client_id in zip(mine, ids, strict=True):
                together.wait()
                try:
                    submit(assigned, client_id)
                    outcomes.append("stored")
                except SubmissionRefusedError as error:
                    outcomes.append(error.message)
        finally:
            connection.close()
        return outcomes

    with ThreadPoolExecutor(JUDGES) as pool:
        outcomes = list(pool.map(work, held))
    refused = "This submission's id belongs to another judge."
    for of_round in zip(*outcomes, strict=True):
        assert Counter(of_round) == {"stored": 1, refused: JUDGES - 1}
    assert set(model._default_manager.values_list("client_id", flat=True)) == set(ids)
    for task in Task.objects.all():
        last = judgments_number(task_id=task.pk)
        numbers = task.judgment_numbers.order_by("number").values_list(
            "number",
            flat=True,
        )
        assert list(numbers) == list(range(1, last + 1))
        assert task.judgments.count() == last
