"""Lists of kinds hold exactly what requests may name, before and after the first ranking."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import HIT
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from campaign.models import Task
from ranking.reports.analyses.registry import ANALYSES
from ranking.services.runs import ranking_run_compute
from tests.answered_tasks import FORMS, AnswerForm
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.every import hit_asked, judgment_put
from tests.protocol_tasks import make_task_of_protocol

pytestmark = pytest.mark.django_db


def judged_task(form: AnswerForm, *, systems_per_block: int) -> Task:
    task = make_task_of_protocol(form.protocol, rules=form.rules or None)
    HIT.objects.filter(task=task).delete()
    design_change(task=task, systems_per_block=systems_per_block, kind="uniform")
    hits_plan(task_id=task.pk, count=4)
    judging = Client()
    user = make_judge(task.test_set.campaign).user
    assert user is not None
    judging.force_login(user)
    for block in hit_asked(judging)["blocks"]:
        answer = form.answer(len(block["candidates"]))
        assert judgment_put(judging, block, answer=answer).status_code == 200
    return task


@pytest.mark.parametrize("systems_per_block", [1, 2])
def test_listed_kinds_are_accepted_and_no_others(systems_per_block: int) -> None:
    [form] = [form for form in FORMS if form.name == "esa"]
    task = judged_task(form, systems_per_block=systems_per_block)
    client = Client()
    client.force_login(make_organiser(task.test_set.campaign))
    address = f"/api/v1/tasks/{task.pk}"

    def post(path: str, **body: Any) -> int:
        answer = client.post(
            f"{address}/{path}/",
            body,
            content_type="application/json",
        )
        return answer.status_code

    for is_ranked in (False, True):
        if is_ranked:
            ranking_run_compute(task_id=task.pk)
        kinds = client.get(f"{address}/analyses/kinds/?page_size=100").json()
        listed = {kind["name"] for kind in kinds["results"]}
        accepted = {name for name in ANALYSES if post("analyses", kind=name) < 400}
        assert accepted == listed
        exports = client.get(f"{address}/exports/kinds/?page_size=100").json()
        for kind in exports["results"]:
            for file_format in kind["formats"]:
                asked = {"kind": kind["name"], "file_format": file_format["name"]}
                assert post("exports", **asked) == 202, asked
