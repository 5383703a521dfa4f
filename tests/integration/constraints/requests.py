"""What is kept of requests to the API."""

from functools import partial

from django.utils import timezone

from campaign.models import IdempotentAnswer, RequestCount, User
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields

NOW = timezone.now()


def user(name: str) -> User:
    return User.objects.create_user(name=name, email=f"{name}@example.org")


def count() -> Create:
    return partial(RequestCount.objects.create, user=user("Ada"), count=1, begun_at=NOW)


@breaks("idempotent_answer_once_a_key")
def a_key_has_two_answers(attempt: Attempt) -> None:
    ada, bruno = user("ada"), user("bruno")
    create = partial(IdempotentAnswer.objects.create, request_digest=b"1", sealed=b"")
    create(user=ada, key_digest=b"1")
    with attempt.refuses():
        create(user=ada, key_digest=b"1")
    with attempt.accepts():
        create(user=ada, key_digest=b"2")
    with attempt.accepts():
        create(user=bruno, key_digest=b"1")


@breaks("request_count_once_a_kind")
def requests_of_a_kind_are_counted_twice(attempt: Attempt) -> None:
    create = count()
    create(kind="reads")
    with attempt.refuses():
        create(kind="reads")
    with attempt.accepts():
        create(kind="writes")


breaks_by_fields("request_count_kind_is_known", count, {"kind": "all"}, accepted={"kind": "reads"})
