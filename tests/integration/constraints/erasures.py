"""What the database refuses of requests for erasure."""

from django.utils import timezone

from campaign.models import ErasureRequest
from campaign.services.erasures import erasure_ask
from tests.factories import make_campaign, make_judge
from tests.integration.constraints.breakages import Attempt, breaks

NOW = timezone.now()


@breaks("erasure_request_one_open_per_judge")
def a_judge_asks_twice_at_once(attempt: Attempt) -> None:
    judge = make_judge(make_campaign())
    first = ErasureRequest.objects.create(judge=judge, due_at=NOW)
    with attempt.refuses():
        ErasureRequest.objects.create(judge=judge, due_at=NOW)
    ErasureRequest.objects.filter(pk=first.pk).update(withdrawn_at=NOW)
    with attempt.accepts():
        ErasureRequest.objects.create(judge=judge, due_at=NOW)


@breaks("erasure_request_ends_once")
def a_request_ends_twice(attempt: Attempt) -> None:
    erasure_ask(judge=make_judge(make_campaign()))
    requests = ErasureRequest.objects.all()
    with attempt.refuses():
        requests.update(withdrawn_at=NOW, carried_out_at=NOW)
    with attempt.refuses():
        requests.update(withdrawn_at=NOW, refused_at=NOW, reason="No.")
    with attempt.refuses():
        requests.update(refused_at=NOW, reason="No.", carried_out_at=NOW)
    with attempt.accepts():
        requests.update(carried_out_at=NOW)


@breaks("erasure_request_reason_iff_refused")
def a_refusal_says_nothing(attempt: Attempt) -> None:
    erasure_ask(judge=make_judge(make_campaign()))
    requests = ErasureRequest.objects.all()
    with attempt.refuses():
        requests.update(refused_at=NOW)
    with attempt.refuses():
        requests.update(reason="No.")
    with attempt.accepts():
        requests.update(refused_at=NOW, reason="No.")
