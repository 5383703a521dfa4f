"""Answers to questions that were not asked are refused in words and not stored: cases of each protocol."""

from typing import Any

import pytest
from django.test import Client

from annotation.models import Judgment
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from campaign.models import Protocol
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import hit_asked, judgment_put, plans_delete
from tests.integration.protocols.test_spans import MISSING, scored, span

pytestmark = pytest.mark.django_db

NO_LABELS = "requires `answer` and no `labels`"
#: By protocol and its rules: the content sent, and the words of the refusal.
TOP: list[tuple[dict[str, Any], str]] = [
    ({"labels": [1, 2, 2, 2, 2]}, NO_LABELS),
    ({}, NO_LABELS),
    ({"answer": {"top": [False] * 5}}, "at least one output"),
    ({"answer": {"top": [True, False]}}, "2 answers were sent for 5 outputs"),
    ({"answer": {"top": [True] * 6}}, "top: "),
    ({"answer": {}}, "top: "),
    ({"answer": {"top": ["A"]}}, "top 1: "),
]
TWO_OUTPUTS: list[tuple[dict[str, Any], str]] = [
    ({"labels": [1, 2]}, NO_LABELS),
    ({"labels": [1, 2], "answer": {"verdict": "first"}}, NO_LABELS),
    ({}, NO_LABELS),
    ({"answer": {"verdict": "both_fine"}}, "“both_fine” is not an answer"),
]
SPANS: list[tuple[Any, str]] = [
    (scored(80, 90), "2 outputs are answered, but 3 are shown."),
    (scored(80, 90, 101), "outputs 3 score: Ensure this value is less than"),
    (scored(80, -1, 90), "outputs 2 score: Ensure this value is greater than"),
    (
        {"outputs": [{"score": 80}, {}, {"score": 80}]},
        "Output B: give a score.",
    ),
    (
        scored(1, 2, 3, b=[span(0, 1), span(1, 2, "bad")]),
        'outputs 2 spans 2 severity: "bad" is',
    ),
    (
        scored(1, 2, 3, a=[span(0, 1)] * 101),
        "outputs 1 spans: Ensure this field has no more",
    ),
    (
        scored(1, 2, 3, c=[span(0, 4000)]),
        "Output C: span 1, from 0 to 4000, marks no part",
    ),
    (
        scored(1, 2, 3, c=[span(4, 4)]),
        "Output C: span 1: the span from 4 to 4 encloses no character",
    ),
    (
        scored(1, 2, 3, a=[{**MISSING, "start": 3, "kind": "error"}]),
        "Output A: span 1: a span has a start and an end, or neither.",
    ),
    (
        scored(1, 2, 3, a=[span(0, 3, kind="missing")]),
        "Output A: span 1: “missing” has neither start nor end.",
    ),
    (
        scored(1, 2, 3, b=[span(0, 3), MISSING, span(2, 5)]),
        "Output B: spans 1 and 3 overlap.",
    ),
    ({"outputs": []}, "outputs: Ensure this field has at least"),
    ({"outputs": "80"}, "outputs: Expected a list"),
    ({}, "outputs: This field is required."),
    ([80, 90, 70], "Invalid data. Expected a dictionary"),
]


@pytest.mark.parametrize(
    ("protocol", "rules", "cases"),
    [
        pytest.param(Protocol.TOP, {}, TOP, id="top"),
        pytest.param(Protocol.TWO_OUTPUTS, {}, TWO_OUTPUTS, id="two_outputs"),
        pytest.param(
            Protocol.SPANS,
            {},
            [({"answer": answer}, words) for answer, words in SPANS],
            id="spans",
            marks=pytest.mark.thorough,
        ),
        pytest.param(
            Protocol.SPANS,
            {"spans_asked": False},
            [
                (
                    {"answer": scored(1, 2, 3, b=[span(0, 1)])},
                    "B: this task has scores only",
                ),
            ],
            id="scores alone",
        ),
        pytest.param(
            Protocol.SPANS,
            {"missing": False},
            [
                (
                    {"answer": scored(1, 2, 3, c=[MISSING])},
                    "C: span 1: this task does not allow marking missing content",
                ),
            ],
            id="nothing is missing",
        ),
    ],
)
def test_answer_to_another_question_is_refused_in_words(
    make_task_of: MakeTask,
    client: Client,
    protocol: Protocol,
    rules: dict[str, bool],
    cases: list[tuple[dict[str, Any], str]],
) -> None:
    task = make_task_of(protocol, blocks_per_judge=12, rules=rules)
    if protocol == Protocol.SPANS:
        plans_delete(task)
        design_change(task=task, systems_per_block=3, kind="uniform")
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    if protocol == Protocol.SPANS:
        hits_plan(task_id=task.pk, count=2)
    hit = hit_asked(client)
    for name, chosen in rules.items():
        assert hit["rules"][name] == chosen
    for body, words in cases:
        refused = judgment_put(client, hit["blocks"][0], **body)
        assert refused.status_code == 400
        assert words in refused.json()["errors"]["answer"][0]
        assert not Judgment.objects.exists()
