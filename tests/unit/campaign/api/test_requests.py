"""Content of requests is refused where it has keys that its serializer does not name."""

from typing import Any

import pytest

from annotation.api.serializers import JudgmentRequestSerializer
from annotation.protocols.answer_kinds import answer_kind, answer_kinds
from campaign.api.requests import ProblemError
from campaign.models import Protocol

#: In the order of the registry, which is that of every process; some protocols share one.
SERIALIZERS: list[Any] = [
    JudgmentRequestSerializer,
    *dict.fromkeys(
        kind.serializer for kind in answer_kinds() if kind.serializer is not None
    ),
]


@pytest.mark.parametrize(
    "kind",
    [kind for kind in answer_kinds() if kind.serializer is not None],
)
def test_an_answer_with_a_key_of_another_protocol_is_refused(kind: Any) -> None:
    own = set(kind.serializer._declared_fields)
    several = kind.serializer_of_several
    alternatives = set(several._declared_fields) if several is not None else set()
    others = (
        {name for each in SERIALIZERS for name in each._declared_fields}
        - own
        - alternatives
    )
    assert others
    for name in others:
        with pytest.raises(ProblemError) as refused:
            kind.validated({name: 1})
        assert list(refused.value.body["errors"]) == [f"answer.{name}"]
        assert set(refused.value.body["known"]) == own


def test_a_key_inside_a_list_is_refused_at_its_place() -> None:
    spans = [{"start": 0, "end": 1, "severity": "major"}, {"colour": "red"}]
    with pytest.raises(ProblemError) as refused:
        answer_kind(Protocol.SPANS).validated(
            {"outputs": [{"score": 1, "spans": spans}]},
        )
    assert list(refused.value.body["errors"]) == ["answer.outputs.0.spans.1.colour"]
