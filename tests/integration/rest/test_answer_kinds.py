"""Answers and rules name their form, so that clients read each as the class that it is."""

import json
from typing import Any

import pytest
from django.test import Client

from campaign.models import Task
from tests.answered_tasks import EVERY_FORM, FORMS, AnswerForm
from tests.described_answers import Description
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.every import hit_asked, judgment_put
from tests.protocol_tasks import make_task_of_protocol

pytestmark = pytest.mark.django_db


def client_of(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def choices(schema: dict[str, Any], union: str, value: Any) -> list[str]:
    """Return the names of the schemas of a union that a value matches."""
    parts = schema["components"]["schemas"]
    return [
        name
        for choice in parts[union]["oneOf"]
        if not Description(schema).errors(choice, value)
        for name in [choice["$ref"]]
    ]


def named(schema: dict[str, Any], union: str, value: Any) -> str:
    """Return the schema that a value names."""
    discriminator = schema["components"]["schemas"][union]["discriminator"]
    return str(discriminator["mapping"][value[discriminator["propertyName"]]])


def test_every_form_of_answers_is_tried(schema: dict[str, Any]) -> None:
    described = schema["components"]["schemas"]["ProtocolAnswer"]["discriminator"]
    assert {form.kind for form in FORMS} == described["mapping"].keys()


def task_of(form: AnswerForm) -> Task:
    return make_task_of_protocol(form.protocol, rules=form.rules or None)


@EVERY_FORM
def test_answers_and_rules_match_the_schema_that_they_name_and_no_other(
    schema: dict[str, Any],
    form: AnswerForm,
) -> None:
    task = task_of(form)
    judge = make_judge(task.test_set.campaign)
    judging = client_of(judge.user)
    hit = hit_asked(judging)
    block = hit["blocks"][0]
    sent = form.answer(len(block["candidates"]))
    stored = judgment_put(judging, block, answer=sent)
    assert stored.status_code == 200, stored.content
    organiser = client_of(make_organiser(task.test_set.campaign))
    listed = organiser.get(f"/api/v1/tasks/{task.pk}/judgments/").json()
    own = judging.get("/api/v1/judging/judgments/").json()
    known = hit_asked(judging)
    answers = [
        stored.json()["answer"],
        listed["results"][0]["answer"],
        own["results"][0]["block"]["judgment"]["answer"],
        known["blocks"][0]["judgment"]["answer"],
    ]
    for answer in answers:
        assert answer["kind"] == form.kind
        assert sent.items() <= {**answer, **_completed(answer, sent)}.items()
        matching = choices(schema, "ProtocolAnswer", answer)
        assert matching == [named(schema, "ProtocolAnswer", answer)]
    systems = task.test_set.systems.values_list("name", flat=True)
    received = json.dumps([hit, known, own, stored.json()])
    assert [name for name in systems if name in received] == []
    for rules in (known["rules"], own["results"][0]["rules"]):
        assert rules["protocol"] == form.protocol
        matching = choices(schema, "TaskRules", rules)
        assert matching == [named(schema, "TaskRules", rules)]


def _completed(answer: dict[str, Any], sent: dict[str, Any]) -> dict[str, Any]:
    """Return the outputs of an answer with the fields that were sent: spans are completed with defaults."""
    if "spans" not in answer.get("outputs", [{}])[0]:
        return {}
    outputs = []
    for output, sent_output in zip(answer["outputs"], sent["outputs"], strict=True):
        spans = [
            {name: span[name] for name in sent_span}
            for span, sent_span in zip(
                output["spans"],
                sent_output["spans"],
                strict=True,
            )
        ]
        outputs.append({"score": output.get("score"), "spans": spans})
    return {"outputs": outputs}


def test_a_request_may_name_the_kind_of_its_answer() -> None:
    [form] = [form for form in FORMS if form.name == "best and worst"]
    judge = make_judge(task_of(form).test_set.campaign)
    judging = client_of(judge.user)
    first, second, *_others = hit_asked(judging)["blocks"]
    answer = form.answer(len(first["candidates"]))
    right = judgment_put(judging, first, answer={"kind": "best_worst", **answer})
    assert right.status_code == 200
    wrong = judgment_put(judging, second, answer={"kind": "spans", **answer})
    assert wrong.status_code == 400
    assert wrong.json()["errors"] == {"answer": ["kind: Must be “best_worst”."]}
