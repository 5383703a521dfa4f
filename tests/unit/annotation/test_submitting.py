"""A judgment that is stored neither at once nor refused: another request was faster."""

from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from annotation.models import Judgment
from annotation.protocols.submissions import SubmissionRefusedError
from annotation.services import submission
from annotation.services.submission import SentJudgment

KNOWN = Judgment(comment="the known one")
ASSIGNED: Any = SimpleNamespace(
    protocol="ranking",
    rules={},
    candidates=("a", "b"),
    candidate_count=2,
    **dict.fromkeys(("task_id", "judge_id", "block_id", "assignment_id"), 1),
)


@pytest.mark.parametrize(
    ("stores", "knows", "returned"),
    [
        ([True], [], "new"),
        ([False], [KNOWN], "known"),
        ([False], [None], "too fast"),
    ],
)
def test_another_request_was_faster(
    monkeypatch: pytest.MonkeyPatch,
    stores: list[bool],
    knows: list[Judgment | None],
    returned: str,
) -> None:
    tries, looks = iter(stores), iter(knows)
    monkeypatch.setattr(submission, "_store", lambda *_asked: next(tries))
    monkeypatch.setattr(submission, "_stored_answer", lambda *_asked: next(looks))

    def submit() -> Judgment:
        return submission.judgment_submit(
            assigned=ASSIGNED,
            client_id=uuid4(),
            sent=SentJudgment(labels=[1, 2]),
        )

    if returned == "too fast":
        with pytest.raises(SubmissionRefusedError) as refused:
            submit()
        assert refused.value.retry_after == 30
    else:
        assert (submit() is KNOWN) == (returned == "known")
    assert (next(tries, None), next(looks, None)) == (None, None)
