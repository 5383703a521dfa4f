"""What the API answers is as it describes: with real rows, and to made-up requests."""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest
import requests
import schemathesis
from django import forms
from django.core import validators
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis.strategies import sampled_from
from rest_framework import fields
from schemathesis import Config
from schemathesis.core.failures import FailureGroup
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.result import Ok
from schemathesis.core.transport import Response
from schemathesis.generation import GenerationMode
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import ignored_auth, negative_data_rejection

from annotation.models import Assignment
from annotation.selectors.judging import assigned_blocks
from campaign.models import Judge, Task, User
from campaign.services.api_tokens import token_create
from tests.permissions.world import World, make_world
from tests.properties import examples
from tests.rest_operations import STABLE


@pytest.fixture
def described(schema: dict[str, Any]) -> BaseSchema:
    # What goes together, and what there is, no description says: what is sent as described may be refused in words.
    refused = ["400", "401", "403", "404", "409", "412", "413", "422"]
    config = {
        "checks": {
            "positive_data_acceptance": {"expected-statuses": ["2xx", "3xx", *refused]},
            "negative_data_rejection": {
                "expected-statuses": [*refused, "405", "406", "415"],
            },
        },
    }
    return schemathesis.openapi.from_dict(schema, config=Config.from_dict(config))


def call_and_validate(case: Any, client: Client) -> int:
    """Send the request through Django's test client, so that a crash shows its traceback."""
    sent = requests.Request(
        **case.as_transport_kwargs(base_url="http://testserver"),
    ).prepare()
    assert sent.method
    headers = {name: str(value) for name, value in sent.headers.items()}
    content_type = headers.pop("Content-Type", "application/octet-stream")
    headers.pop("Content-Length", None)
    # Django's test client does not undo what a browser or `requests` does.
    headers.pop("Accept-Encoding", None)
    # Made-up ones would take the place of the client's, and be answered 401.
    for name in ("Authorization", "Cookie"):
        headers.pop(name, None)
    excused = [negative_data_rejection] if is_read_all_the_same(case) else []
    answer = client.generic(
        sent.method,
        sent.path_url,
        sent.body or b"",
        content_type=content_type,
        headers=headers,
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
        # The token is the client's; taking it from the request would take nothing away.
        excluded_checks=[ignored_auth, *excused],
        additional_checks=[refused_for_its_shape],
    )
    return answer.status_code


#: Single values that REST framework reads from others, as docs/rest.md says: 5 from “5”, and true from “yes”.
READ_FROM = {
    "string": {"string", "integer", "number"},
    "integer": {"string", "integer", "number"},
    "number": {"string", "integer", "number"},
    "boolean": {"string", "integer", "number", "boolean"},
}


def is_read_all_the_same(case: Any) -> bool:
    """Return whether all that breaks the description are single values that may be read from others."""
    mutations = getattr(case.meta.phase.data, "mutations", ()) if case.meta else ()
    return bool(mutations) and all(
        each.keywords == ("type",)
        and types_of(each.new_value)
        <= {
            new
            for old in types_of(each.original_value)
            for new in READ_FROM.get(old, ())
        }
        for each in mutations
    )


def types_of(said: Any) -> set[str]:
    return {said} if isinstance(said, str) else set(said)


#: What no description says, though it is said of a value alone: whether something is there, what a file holds.
OF_MORE_THAN_SHAPE = {"does_not_exist", "empty", "overflow", "make_aware"}
OF_FILTERS = (forms.CharField, forms.DateField, forms.DecimalField, forms.IntegerField)


def words_for_shape() -> Iterator[str]:
    """Yield what REST framework and Django say of a value of a wrong type, form, length or range."""
    named = [each for each in vars(fields).values() if isinstance(each, type)]
    kinds: list[Any] = [each for each in named if issubclass(each, fields.Field)]
    for kind in (*kinds, *OF_FILTERS):
        said = kind.default_error_messages.items()
        yield from (
            str(words) for name, words in said if name not in OF_MORE_THAN_SHAPE
        )
    yield str(validators.MinValueValidator.message)
    yield str(validators.MaxValueValidator.message)
    yield "Ensure that there are no more than"


def pattern_of(words: str) -> str:
    return ".*".join(map(re.escape, re.split(r"{.*?}|%\(\w+\)[sd]", words)))


SHAPE = re.compile("|".join(map(pattern_of, sorted(set(words_for_shape())))))


def refused_for_its_shape(_context: Any, response: Response, case: Any) -> None:
    """Fail where what is as described is refused for its shape: then the description promises too much."""
    if (
        response.status_code == 400
        and case.meta
        and case.meta.generation.mode.is_positive
    ):
        problem = json.loads(response.content)
        said = json.dumps(problem.get("errors", problem["detail"]), ensure_ascii=False)
        found = SHAPE.search(said.replace('\\"', '"'))
        assert found is None, f"as described, and refused for its shape: {said[:600]}"


@pytest.mark.thorough
@pytest.mark.django_db
def test_answers_with_real_rows_are_as_described(
    described: BaseSchema,
    world: World,
) -> None:
    """Every operation that reads, of a campaign that has something of most of what there is."""
    client = client_of_role(world, "organiser")
    answered = {}
    wrong: dict[str, list[str]] = {}
    for result in described.get_all_operations():
        assert isinstance(result, Ok)
        operation = result.ok()
        if operation.method.upper() == "GET" and "/judging/" not in operation.path:
            named = world.named_parts()
            parts = {
                name: named[name] for name in re.findall(r"{(\w+)}", operation.path)
            }
            case = operation.Case(path_parameters=parts)
            try:
                answered[operation.label] = call_and_validate(case, client)
            except FailureGroup as group:
                wrong[operation.label] = [str(each)[:600] for each in group.exceptions]
    assert wrong == {}
    unanswered = {label for label, status in answered.items() if status != 200}
    assert unanswered == {
        # The world has a ranking, and no quiz, rule in wait, or format of files of its protocol.
        "GET /api/v1/tasks/{task_id}/snippets/",
        # It must be said of what kind, and in which format: tests/integration/exports.
        "GET /api/v1/tasks/{task_id}/exports/stream/",
    }


@pytest.mark.django_db
def test_judging_responses_match_the_schema(
    described: BaseSchema,
    judge: Judge,
    task: Task,
    client_of: Callable[[User], Client],
) -> None:
    """Also the times: the page's clock reads them. The answers are built by hand, for speed."""
    assert judge.user is not None
    client = client_of(judge.user)

    def sent(method: str, path: str, **parts: Any) -> int:
        case = described[f"/api/v1/judging/{path}"][method].Case(
            media_type="application/json",
            **parts,
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


@pytest.mark.thorough
@pytest.mark.hypothesis
@pytest.mark.django_db
@pytest.mark.parametrize(
    "times",
    [3, pytest.param(60, marks=pytest.mark.thorough)],
    ids=["some", "many"],
)
def test_made_up_requests_are_answered_as_described(
    described: BaseSchema,
    world: World,
    times: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No input crashes, and every answer has a status and a shape that the description knows: all operations.

    What is as described is not refused for its shape, and what is not is refused.

    By an organiser, so that writes are done, and by an analyst, so that they are refused; judging by a judge.
    """
    statuses: Counter[int] = Counter()
    of_broken: Counter[int] = Counter()
    real = world.named_parts()
    labels = set()
    wrong: dict[str, list[str]] = {}
    for result in described.get_all_operations():
        assert isinstance(result, Ok)
        operation = result.ok()
        roles = ["judge"] if "/judging/" in operation.path else ["organiser", "analyst"]
        for role in roles:
            labels.add(operation.label)
            client = client_of_role(world, role)
            with transaction.atomic():
                try:
                    check(operation, client, real, times, statuses)
                    if role == "organiser" and takes_json(operation):
                        check_broken(operation, client, real, times, of_broken)
                except FailureGroup as group:
                    wrong[operation.label] = [
                        str(each)[:600] for each in group.exceptions
                    ]
                # The next operation finds the world as it was.
                transaction.set_rollback(True)
    assert wrong == {}
    assert len(labels) == len(STABLE.read_text(encoding="utf-8").splitlines())
    assert of_broken[400] > 10 * times
    with capsys.disabled():
        sys.stdout.write(
            f"\nschemathesis: {len(labels)} operations, {statuses.total()} requests, no failure; {counted(statuses)}; "
            f"bodies that are not as described: {counted(of_broken)}\n",
        )


def counted(statuses: Counter[int]) -> str:
    return ", ".join(
        f"{count} x {status}" for status, count in sorted(statuses.items())
    )


def takes_json(operation: Any) -> bool:
    return any(each.media_type == "application/json" for each in operation.body)


def check(
    operation: Any,
    client: Client,
    real: dict[str, Any],
    times: int,
    statuses: Counter[int],
) -> None:
    @settings(
        examples(times),
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(
        case=operation.as_strategy(),
        existing=sampled_from([True, True, True, False]),
    )
    def answered(case: Any, existing: bool) -> None:
        if existing:
            # A made-up id is rarely one that exists.
            named = case.path_parameters
            named.update({name: real[name] for name in named if name in real})
        statuses[call_and_validate(case, client)] += 1

    answered()


def check_broken(
    operation: Any,
    client: Client,
    real: dict[str, Any],
    times: int,
    statuses: Counter[int],
) -> None:
    """Send bodies that break the description, to addresses where there is something: each is refused."""
    found = {
        each.name: real[each.name]
        for each in operation.path_parameters
        if each.name in real
    }
    broken = operation.as_strategy(
        GenerationMode.NEGATIVE,
        path_parameters=found,
        query={},
        headers={},
        cookies={},
    )

    @settings(
        examples(times),
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=broken)
    def refused(case: Any) -> None:
        # A made-up version would be refused before the body is looked at.
        assume(case.meta.is_negative_at(ParameterLocation.BODY))
        case.headers.pop("If-Match", None)
        statuses[call_and_validate(case, client)] += 1

    refused()


def numbers_asked(schema: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield method, path and field of each number that a body in JSON has."""
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            body = (
                operation.get("requestBody", {})
                .get("content", {})
                .get("application/json")
            )
            name = body and body["schema"].get("$ref", "").rpartition("/")[2]
            fields_of_body = (
                schema["components"]["schemas"][name]["properties"] if name else {}
            )
            for field, told in fields_of_body.items():
                if "number" in [told.get("type"), *(told.get("type") or [])]:
                    yield method, path, field


@pytest.mark.thorough
@pytest.mark.django_db
def test_numbers_are_neither_true_nor_endless(
    schema: dict[str, Any],
    world: World,
) -> None:
    client = client_of_role(world, "organiser")
    asked = list(numbers_asked(schema))
    assert {"share", "threshold", "confidence", "hours", "inter_share"} <= {
        field for *_, field in asked
    }
    taken = []
    for method, path, field in asked:
        for value in (True, False, "nan", "inf", "-inf"):
            address = path.format_map(world.named_parts())
            answer = client.generic(
                method.upper(),
                address,
                json.dumps({field: value}),
                content_type="application/json",
            )
            told = answer.json().get("errors", {}).get(field)
            if (answer.status_code, told) != (400, ["A valid number is required."]):
                taken.append((method, path, field, value, answer.content[:200]))
    assert taken == []


@pytest.fixture
def world() -> World:
    return make_world()


def client_of_role(world: World, role: str) -> Client:
    user = world.users[role]
    assert user is not None
    _instance, token = token_create(user=user)
    return Client(headers={"Authorization": f"Token {token}"})
