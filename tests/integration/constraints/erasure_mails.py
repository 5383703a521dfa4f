"""What the database refuses of messages about requests for erasure."""

from functools import partial

from django.utils import timezone

from campaign.models import ErasureMail
from campaign.services import erasure_ask
from tests.factories import make_campaign, make_judge, make_organiser
from tests.integration.constraints.breakages import Create, breaks_by_fields

NOW = timezone.now()


def mail() -> Create:
    """Return what creates a message to a judge whose request was refused."""
    request = erasure_ask(judge=make_judge(make_campaign()))
    return partial(
        ErasureMail.objects.create,
        campaign=request.judge.campaign,
        request=request,
        kind="refused",
        address="a@example.org",
        language="en",
    )


def mail_to_organiser() -> Create:
    """Return what creates a message to an organiser."""
    create = mail()
    return partial(create, kind="asked", user=make_organiser(make_campaign("elsewhere")))


breaks_by_fields(
    "erasure_mail_has_a_time_exactly_if_sent",
    mail,
    {"state": "sent"},
    {"sent_at": NOW},
    accepted={"state": "sent", "sent_at": NOW},
)
breaks_by_fields(
    "erasure_mail_has_a_user_exactly_if_to_an_organiser",
    mail_to_organiser,
    {"user": None},
    {"kind": "refused"},
    accepted={"address": "b@example.org"},
)
breaks_by_fields(
    "erasure_mail_has_an_address_until_it_is_sent",
    mail,
    {"address": ""},
    {"address": "", "state": "sending"},
    accepted={"address": "", "state": "failed"},
)
