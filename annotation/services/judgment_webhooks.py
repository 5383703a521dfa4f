"""Tell webhooks of new judgments, a batch at a time, from the numbers that judgments have.

Nothing is written while somebody judges or while judgments are numbered: how far an endpoint was told stands in its
marks, and the counter of a task says how far there is to tell. So no batch is lost and none told twice.
"""

from django.db import transaction

from annotation.models import JudgmentSequence
from campaign.models import WebhookEndpoint, WebhookEvent, WebhookMark
from campaign.selectors.webhooks import endpoints_asking
from campaign.services.webhooks import message_put


def judgment_webhooks_record() -> int:
    """Put what endpoints do not know yet into the outbox; return the number of messages."""
    asking = endpoints_asking(WebhookEvent.JUDGMENTS)
    return sum(_record(pk) for pk in asking.values_list("pk", flat=True))


@transaction.atomic
def _record(endpoint_id: int) -> int:
    """Put the batches of one endpoint into the outbox. Locks its row; 0 if another worker has it."""
    rows = WebhookEndpoint.objects.select_for_update(skip_locked=True, of=("self",))
    endpoint = rows.select_related("campaign").filter(pk=endpoint_id).first()
    if endpoint is None:
        return 0
    told = dict(endpoint.marks.values_list("task_id", "number"))
    sequences = JudgmentSequence.objects.filter(
        task__test_set__campaign=endpoint.campaign_id, last_number__gt=0
    ).select_related("task__test_set")
    return sum(
        _batch_put(endpoint, sequence, told.get(sequence.task_id, 0))
        for sequence in sequences.order_by("task_id")
    )


def _batch_put(endpoint: WebhookEndpoint, sequence: JudgmentSequence, told: int) -> bool:
    last = sequence.last_number
    if last <= told:
        return False
    data = {
        "task": sequence.task_id,
        "test_set": sequence.task.test_set.name,
        "protocol": sequence.task.protocol,
        "first": told + 1,
        "watermark": last,
        "count": last - told,
    }
    if not message_put(endpoint=endpoint, event=WebhookEvent.JUDGMENTS, data=data):
        return False
    WebhookMark.objects.update_or_create(
        endpoint=endpoint, task_id=sequence.task_id, defaults={"number": last}
    )
    return True
