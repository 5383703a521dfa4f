"""Serializers that are kept say of the content of a request what new ones say, and nothing of another request."""

from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import ValidationError

from annotation.api.serializers import JudgmentRequestSerializer
from annotation.api.views import answer_validated
from annotation.protocols import answer_kinds
from campaign.api.problems import ProblemError
from campaign.api.requests import content_validated
from campaign.models import Protocol
from tests.some_now import some_now

#: In the order of the registry, which is that of every process; some protocols share one.
SERIALIZERS: list[Any] = [
    JudgmentRequestSerializer,
    *dict.fromkeys(kind.serializer for kind in answer_kinds() if kind.serializer is not None),
]
BLOCK = "7b0a1c6e-3f0b-4d57-9a59-0f6d2c8f4a11"
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 200)
    | st.sampled_from(["", "first", "edited", BLOCK]),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
)


def _said(serializer: Any, content: Any) -> tuple[str, Any]:
    try:
        return "valid", serializer(content)
    except ValidationError as error:
        return "refused", error.detail


def _by_a_new_one(serializer: Any, content: Any) -> Any:
    new = serializer(data=content)
    new.is_valid(raise_exception=True)
    return new.validated_data


@pytest.mark.parametrize("serializer", some_now(SERIALIZERS, most=2))
@given(data=st.data())
def test_a_kept_one_says_what_a_new_one_says(serializer: Any, data: st.DataObject) -> None:
    names = st.sampled_from(sorted(serializer._declared_fields))
    for content in data.draw(st.lists(st.dictionaries(names, VALUES) | VALUES, max_size=3)):
        kept = _said(lambda given: content_validated(serializer, given), content)
        assert kept == _said(lambda given: _by_a_new_one(serializer, given), content)


@pytest.mark.parametrize("kind", [kind for kind in answer_kinds() if kind.serializer is not None])
def test_an_answer_with_a_key_of_another_protocol_is_refused(kind: Any) -> None:
    own = set(kind.serializer._declared_fields)
    others = {name for each in SERIALIZERS for name in each._declared_fields} - own
    assert others
    for name in others:
        with pytest.raises(ProblemError) as refused:
            answer_validated(kind.protocol, {name: 1})
        assert list(refused.value.body["errors"]) == [f"answer.{name}"]
        assert set(refused.value.body["known"]) == own


def test_a_key_inside_a_list_is_refused_at_its_place() -> None:
    spans = [{"start": 0, "end": 1, "severity": "major"}, {"colour": "red"}]
    with pytest.raises(ProblemError) as refused:
        answer_validated(Protocol.SPANS, {"outputs": [{"score": 1, "spans": spans}]})
    assert list(refused.value.body["errors"]) == ["answer.outputs.0.spans.1.colour"]


def test_nothing_of_one_request_is_in_the_next() -> None:
    first = content_validated(JudgmentRequestSerializer, {"block": BLOCK, "labels": [1, 2]})
    first["labels"].append(9)
    second = content_validated(JudgmentRequestSerializer, {"block": BLOCK})
    assert second["block"] == UUID(BLOCK)
    assert "labels" not in second
    assert content_validated(JudgmentRequestSerializer, {"block": BLOCK, "labels": [1, 2]})[
        "labels"
    ] == [1, 2]
