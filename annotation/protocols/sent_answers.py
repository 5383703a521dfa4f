"""Read the answers of requests, and of files in the same form."""

from collections.abc import Iterator
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.settings import api_settings

from annotation.protocols.answer_kinds import answer_kind
from campaign.api.requests import content_validated
from campaign.texts.joining import labelled


def answer_validated(protocol: str, answer: Any) -> Any:
    """Return the answer in a request, validated by a serializer of the protocol if it has one."""
    kind = answer_kind(protocol)
    serializer = kind.serializer
    other = kind.serializer_of_several
    if (
        isinstance(answer, dict)
        and other is not None
        and not set(answer).isdisjoint(other().fields)
    ):
        serializer = other
    if serializer is None or answer is None:
        return answer
    try:
        return content_validated(serializer, answer, "answer.")
    except ValidationError as error:
        raise ValidationError(
            {"answer": list(_errors_in_words(error.detail))},
        ) from error


def _errors_in_words(detail: Any, *path: str | int) -> Iterator[str]:
    """Yield the errors of an answer after their places, such as “outputs 2 score”; lists count from 1."""
    if isinstance(detail, dict):
        for step, below in detail.items():
            yield from _errors_in_words(below, *path, step)
    elif isinstance(detail, list):
        for below in detail:
            yield from _errors_in_words(below, *path)
    else:
        named = [step for step in path if step != api_settings.NON_FIELD_ERRORS_KEY]
        steps = []
        for step in named:
            steps.append(str(step + 1 if isinstance(step, int) else step))
        yield labelled(" ".join(steps), str(detail)) if steps else str(detail)


def answer_problems(error: ValidationError) -> list[str]:
    """Return what `answer_validated` refused about an answer."""
    detail: Any = error.detail
    return [str(problem) for problem in detail["answer"]]
