"""The OpenAPI description: complete, without warnings, and what the answers really look like."""

import json
from collections.abc import Callable
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
import requests
import schemathesis
from django.core.management import call_command
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import booleans
from schemathesis.core.result import Ok
from schemathesis.core.transport import Response
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from annotation.models import Assignment
from annotation.selectors import assigned_blocks
from campaign.models import Judge, Task, User
from ranking.models import RankingRun
from tests.properties import examples

RANKINGS = "/api/v1/tasks/{task_id}/rankings/"
# Every one of these can be read without a body.
READ = [
    "/api/v1/campaigns/",
    "/api/v1/campaigns/{slug}/",
    "/api/v1/tasks/{task_id}/",
    "/api/v1/tasks/{task_id}/segments/",
    "/api/v1/tasks/{task_id}/systems/",
    "/api/v1/tasks/{task_id}/judgments/",
    "/api/v1/tasks/{task_id}/skips/",
    RANKINGS,
    "/api/v1/tasks/{task_id}/rankings/latest/",
    "/api/v1/tasks/{task_id}/rankings/{ranking_id}/",
    "/api/v1/tasks/{task_id}/judges/",
    "/api/v1/tasks/{task_id}/designs/",
]
# For organisers only.
ORGANISERS = [
    "/api/v1/campaigns/{slug}/activity/",
    "/api/v1/campaigns/{slug}/problem-reports/",
    "/api/v1/campaigns/{slug}/alerts/",
    "/api/v1/campaigns/{slug}/overview/",
    "/api/v1/campaigns/{slug}/time/",
    "/api/v1/tasks/{task_id}/hits/",
]
CAMPAIGN = "/api/v1/campaigns/{slug}/"
TEST_SET = "/api/v1/tasks/{task_id}/"
SETTINGS = "/api/v1/tasks/{task_id}/ranking-settings/"
STOPPING = "/api/v1/tasks/{task_id}/stopping-rule/"
CLOSING = "/api/v1/tasks/{task_id}/closing/"
RULES = {
    "/api/v1/campaigns/{slug}/rules/": {"get", "post"},
    "/api/v1/campaigns/{slug}/rules/preview/": {"post"},
    "/api/v1/campaigns/{slug}/rules/suggested/": {"get", "post"},
    "/api/v1/campaigns/{slug}/rules/{rule_id}/off/": {"post"},
    "/api/v1/campaigns/{slug}/rules/{rule_id}/undo/": {"post"},
    "/api/v1/campaigns/{slug}/rules/{rule_id}/act/": {"get", "post"},
}
LIFE = {
    "/api/v1/campaigns/{slug}/state/": {"get", "patch"},
    "/api/v1/campaigns/{slug}/restore/": {"post"},
    "/api/v1/campaigns/{slug}/clone/": {"post"},
    "/api/v1/campaigns/{slug}/erasures/": {"get"},
    "/api/v1/campaigns/{slug}/erasures/{request_id}/carry-out/": {"post"},
    "/api/v1/campaigns/{slug}/erasures/{request_id}/refuse/": {"post"},
    "/api/v1/campaigns/{slug}/file/": {"get", "put"},
    "/api/v1/campaigns/{slug}/rehearsal/": {"get", "post", "delete"},
    "/api/v1/campaigns/{slug}/copies/": {"get", "post"},
    "/api/v1/campaigns/{slug}/copies/{copy_id}/": {"get"},
    "/api/v1/campaigns/{slug}/{transition}/": {"post"},
}
_REPLIES = "/api/v1/campaigns/{slug}/problem-reports/{report_id}/replies/"
REPLIES = {_REPLIES: {"post"}, f"{_REPLIES}{{number}}/take-back/": {"post"}}
SYSTEMS = "/api/v1/tasks/{task_id}/systems/"
DESIGNS = "/api/v1/tasks/{task_id}/designs/"
OF_DESIGNS = {
    f"{DESIGNS}preview/": {"post"},
    f"{DESIGNS}forecast/": {"post"},
    f"{DESIGNS}{{design_id}}/again/": {"post"},
}
ONE_SYSTEM = {
    f"{SYSTEMS}{{system_id}}/": {"get", "patch"},
    f"{SYSTEMS}{{system_id}}/withdraw/": {"post"},
    f"{SYSTEMS}{{system_id}}/restore/": {"post"},
}
_ANALYSES = "/api/v1/tasks/{task_id}/analyses/"
ANALYSES = {
    "/api/v1/campaigns/{slug}/tables/": {"get"},
    "/api/v1/campaigns/{slug}/tables/{name}/": {"get", "post"},
    "/api/v1/campaigns/{slug}/tables/{name}/report.{ending}": {"get"},
    _ANALYSES: {"get", "post"},
    f"{_ANALYSES}kinds/": {"get"},
    f"{_ANALYSES}{{analysis_id}}/": {"get"},
    f"{_ANALYSES}{{analysis_id}}/report.{{ending}}": {"get"},
    f"{RANKINGS}keep/": {"post"},
}
SEGMENT = {"/api/v1/tasks/{task_id}/segments/{number}/": {"get"}}
_ACTIONS = "/api/v1/tasks/{task_id}/quality-actions/"
ACTIONS = {
    _ACTIONS: {"get", "post"},
    f"{_ACTIONS}{{action_id}}/revert/": {"post"},
    f"{_ACTIONS}{{batch}}/undo/": {"post"},
}
_PUBLISHED = "/api/v1/tasks/{task_id}/published-results/"
PUBLISHED = {
    _PUBLISHED: {"get", "post"},
    f"{_PUBLISHED}{{version}}/": {"get", "patch"},
    f"{_PUBLISHED}{{version}}/bundle/": {"get", "post"},
}
_JUDGES = "/api/v1/campaigns/{slug}/judges/"
_GROUPS = "/api/v1/campaigns/{slug}/judge-groups/"
PEOPLE = {
    _JUDGES: {"get", "post"},
    f"{_JUDGES}{{judge_id}}/": {"get", "patch"},
    f"{_JUDGES}{{judge_id}}/link/": {"post"},
    _GROUPS: {"get", "post"},
    f"{_GROUPS}{{group_id}}/": {"get", "patch"},
    f"{_GROUPS}{{group_id}}/judges/": {"post"},
    f"{_GROUPS}{{group_id}}/delete/": {"post"},
}
_UPLOAD = "/api/v1/campaigns/{slug}/uploads/{upload_id}/"
_JOB = "/api/v1/campaigns/{slug}/jobs/{job_id}/"
_MEMBERS = "/api/v1/campaigns/{slug}/members/"
MEMBERS = {
    _MEMBERS: {"get", "post"},
    f"{_MEMBERS}invitations/": {"get", "post"},
    f"{_MEMBERS}invitations/{{invitation_id}}/": {"delete"},
    f"{_MEMBERS}leave/": {"post"},
    f"{_MEMBERS}{{membership_id}}/": {"patch", "delete"},
    f"{_MEMBERS}{{membership_id}}/link/": {"post"},
}
FILES_AND_WORK = {
    "/api/v1/campaigns/{slug}/uploads/": {"get", "post"},
    _UPLOAD: {"get", "patch", "delete"},
    f"{_UPLOAD}files/": {"post"},
    f"{_UPLOAD}files/{{file_id}}/": {"delete"},
    f"{_UPLOAD}files/{{file_id}}/content/": {"put"},
    f"{_UPLOAD}check/": {"post"},
    f"{_UPLOAD}import/": {"post"},
    "/api/v1/campaigns/{slug}/alerts/mail/": {"get", "put"},
    "/api/v1/campaigns/{slug}/jobs/": {"get"},
    _JOB: {"get"},
    f"{_JOB}stop/": {"post"},
    f"{_JOB}again/": {"post"},
}
TASKS = {"/api/v1/campaigns/{slug}/tasks/": {"get", "post"}}
# Of quizzes alone.
SNIPPETS = {"/api/v1/tasks/{task_id}/snippets/": {"get", "put"}}
# Files.
ANSWERS = {"/api/v1/tasks/{task_id}/answers/": {"get", "post"}}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    out = StringIO()
    call_command("spectacular", validate=True, fail_on_warn=True, format="openapi-json", stdout=out)
    return dict(json.loads(out.getvalue()))


def test_schema_is_valid_and_lists_every_address(schema: dict[str, Any]) -> None:
    paths = {path for path in schema["paths"] if "/judging/" not in path}
    described = RULES | LIFE | REPLIES | FILES_AND_WORK | ONE_SYSTEM | MEMBERS | PEOPLE
    described |= TASKS | SNIPPETS | ANSWERS | OF_DESIGNS | ANALYSES | PUBLISHED | SEGMENT | ACTIONS
    assert paths == {*READ, *ORGANISERS, SETTINGS, STOPPING, CLOSING, *described}
    assert {path: set(schema["paths"][path]) for path in described} == described
    read_only = {*READ, *ORGANISERS} - {CAMPAIGN, TEST_SET, RANKINGS, SYSTEMS, DESIGNS}
    assert all(list(schema["paths"][path]) == ["get"] for path in read_only)
    assert set(schema["paths"][CAMPAIGN]) == {"get", "patch"}
    assert set(schema["paths"][TEST_SET]) == {"get", "patch", "delete"}
    assert set(schema["paths"][RANKINGS]) == {"get", "post"}
    assert set(schema["paths"][SYSTEMS]) == {"get", "post"}
    assert set(schema["paths"][DESIGNS]) == {"get", "post"}
    assert set(schema["paths"][SETTINGS]) == {"get", "patch"}
    assert set(schema["paths"][STOPPING]) == {"get", "put"}


def test_enums_have_names(schema: dict[str, Any]) -> None:
    enums = {name for name, part in schema["components"]["schemas"].items() if "enum" in part}
    assert enums == {
        "ActivityOperation",
        "ActivityOrigin",
        "AdequacyBasis",
        "AlertKind",
        "AnalysisName",
        "TableName",
        "BlockState",
        "CampaignState",
        "CampaignTransition",
        "DesignKind",
        "DesignOrder",
        "DesignSameness",
        "EditingAsked",
        "EditingOutcome",
        "FileRole",
        "HITPurpose",
        "HITState",
        "JobKind",
        "JobState",
        "JudgeDecisionKind",
        "JudgeMeasure",
        "JudgeOrigin",
        "JudgeRowState",
        "JudgeStanding",
        "JudgeStatus",
        "MailLanguage",
        "MailState",
        "MeasureUnit",
        "MembershipRole",
        "NoIntervalReason",
        "NotEstimableReason",
        "NotYetState",
        "NullEnum",
        "ProblemKind",
        "Protocol",
        "QualityActionKind",
        "QualityRuleAction",
        "QualityRuleDirection",
        "RatingCriterion",
        "RangeCorrection",
        "RangeKind",
        "RangeLevel",
        "RangeLimit",
        "RankingMethod",
        "ReferenceUse",
        "RehearsalState",
        "RuleTests",
        "SkipReason",
        "SkippedReason",
        "SortingVerdict",
        "SpanKind",
        "SpanSeverity",
        "SystemKind",
        "TextDirection",
        "TwoOutputsVerdict",
    }


def test_nothing_a_judge_is_sent_names_a_system(schema: dict[str, Any]) -> None:
    sent = [path for path in schema["paths"] if "/judging/" in path]
    assert len(sent) == 10
    parts = schema["components"]["schemas"]
    seen: set[str] = set()
    waiting = [json.dumps(schema["paths"][path]) for path in sent]
    while waiting:
        text = waiting.pop()
        for name in parts:
            if f'"#/components/schemas/{name}"' in text and name not in seen:
                seen.add(name)
                waiting.append(json.dumps(parts[name]))
                assert not {"system", "systems", "number"} & set(parts[name].get("properties", {}))
    assert "Assignment" in seen
    assert "System" not in seen


def test_every_time_is_described_as_one(schema: dict[str, Any]) -> None:
    """Otherwise an answer could say it in any way, and be as described."""
    times = {
        f"{name}.{key}": described
        for name, part in schema["components"]["schemas"].items()
        for key, described in part.get("properties", {}).items()
        if key.endswith("_at")
    }
    assert {"Assignment.expires_at", "JudgedBlock.judged_at", "Judgment.submitted_at"} <= set(times)
    assert {each["format"] for each in times.values()} == {"date-time"}


def test_schema_is_served_to_everybody(client: Client) -> None:
    response = client.get("/api/schema/")
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("application/vnd.oai.openapi")


@pytest.fixture
def described(schema: dict[str, Any]) -> BaseSchema:
    return schemathesis.openapi.from_dict(schema)


def call_and_validate(case: Any, client: Client) -> int:
    """Send the request through Django's test client, so that a crash shows its traceback."""
    sent = requests.Request(**case.as_transport_kwargs(base_url="http://testserver")).prepare()
    assert sent.method
    headers = {name: str(value) for name, value in sent.headers.items()}
    content_type = headers.pop("Content-Type", "application/octet-stream")
    headers.pop("Content-Length", None)
    # Django's test client does not undo what a browser or `requests` does.
    headers.pop("Accept-Encoding", None)
    answer = client.generic(
        sent.method, sent.path_url, sent.body or b"", content_type=content_type, headers=headers
    )
    case.validate_response(
        Response(
            status_code=answer.status_code,
            headers={name.lower(): [value] for name, value in answer.headers.items()},
            content=answer.getvalue(),
            request=sent,
            elapsed=0,
            verify=False,
        ),
        # The token is the client's; taking it from the request would take nothing away. Which people and kinds
        # stand in a log, and that its last day is not before its first, no description says, nor what parameters of a
        # design or options of an analysis go together, or that a test set has a judgment.
        excluded_checks=[ignored_auth]
        + [positive_data_acceptance]
        * (
            sent.path_url.startswith("/api/v1/campaigns/museum/activity/")
            or sent.path_url.endswith(
                ("/designs/preview/", "/designs/forecast/", "/analyses/", "/rankings/")
            )
        ),
    )
    return answer.status_code


@pytest.mark.django_db
def test_answers_with_real_rows_are_as_described(
    described: BaseSchema, task: Task, ranking: RankingRun, analyst: Client
) -> None:
    values = {"slug": "museum", "task_id": task.pk, "ranking_id": ranking.pk}
    for path in [*READ, *TASKS]:
        named = {name: value for name, value in values.items() if f"{{{name}}}" in path}
        case = described[path]["GET"].Case(path_parameters=named)
        assert call_and_validate(case, analyst) == 200


@pytest.mark.django_db
def test_what_a_judge_is_sent_is_as_described(
    described: BaseSchema, judge: Judge, task: Task, client_of: Callable[[User], Client]
) -> None:
    """Also the times: the page's clock reads them. The answers are built by hand, for speed."""
    assert judge.user is not None
    client = client_of(judge.user)

    def sent(method: str, path: str, **parts: Any) -> int:
        case = described[f"/api/v1/judging/{path}"][method].Case(
            media_type="application/json", **parts
        )
        return call_and_validate(case, client)

    lent = sent("POST", "assignments/", body={"campaign": task.test_set.campaign.slug})
    blocks = assigned_blocks(Assignment.objects.get(judge=judge))
    judged, skipped, reported = (str(each.public_id) for each in blocks)
    labels = [1] * len(blocks[0].candidates)
    client_id = {"client_id": str(uuid4())}
    answers = [
        lent,
        sent(
            "PUT",
            "judgments/{client_id}/",
            path_parameters=client_id,
            body={"block": judged, "labels": labels},
        ),
        sent(
            "PUT",
            "skips/{client_id}/",
            path_parameters=client_id,
            body={"block": skipped, "reason": "other", "comment": "x"},
        ),
        sent(
            "PUT",
            "problem-reports/{client_id}/",
            path_parameters=client_id,
            body={"block": reported, "kind": "page", "comment": "x"},
        ),
        sent("GET", "judgments/"),
        # With what was said of its blocks.
        sent("POST", "assignments/", body={}),
    ]
    assert {status // 100 for status in answers} == {2}


@pytest.mark.hypothesis
@pytest.mark.django_db
def test_made_up_requests_are_answered_as_described(
    described: BaseSchema,
    task: Task,
    judge: Judge,
    analyst: Client,
    client_of: Callable[[User], Client],
) -> None:
    """No input crashes, and every answer has a status and a shape that the description knows."""
    assert judge.user is not None
    judging = client_of(judge.user)
    for result in described.get_all_operations():
        assert isinstance(result, Ok)
        operation = result.ok()
        client = judging if "/judging/" in operation.path else analyst
        check(operation, client, {"task_id": task.pk, "slug": "museum"})


def check(operation: Any, client: Client, real: dict[str, int | str]) -> None:
    @settings(examples(6), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(), existing=booleans())
    def answered(case: Any, existing: bool) -> None:
        if existing:
            # A made-up id is rarely one that exists.
            named = case.path_parameters
            named.update({name: value for name, value in real.items() if name in named})
        call_and_validate(case, client)

    answered()
