"""The judging API for machine judges: the requests and responses are those of people."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.cache import caches
from django.utils.translation import gettext as _
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from annotation.models import MachineJudgment
from annotation.protocols.answer_kinds import answer_kind
from annotation.selectors.machines import (
    MachineBlock,
    machine_assignment,
    machine_assignment_data,
)
from annotation.selectors.shown_data import AssignmentShown
from annotation.services.lending.work_requests import lending_stopped
from annotation.services.numbers import waiting_judgments_number
from campaign.api.authentication import machine_of
from campaign.api.base import row_or_404
from campaign.models import MachineJudge, Task


class MachinePace(SimpleRateThrottle):
    """Limit of requests per machine judge and minute, apart from those of the person who added it."""

    cache = caches["throttles"]

    def get_rate(self) -> str | None:
        """Return the limit in the settings; None if there is none."""
        limit = settings.API_WRITES_A_MINUTE
        if limit > 0:
            return f"{limit}/min"
        return None

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        """Return the key of the machine's requests; None for people, who are not limited here."""
        del view
        machine = machine_of(request)
        if machine is None:
            return None
        return f"machine/{machine.pk}"


def machine_next(
    machine: MachineJudge,
    sent: Mapping[str, Any],
) -> AssignmentShown | None:
    """Return the assignment after those that a request names; None if there is none, or the campaign lends nothing.

    Raises NotFound if the request names another campaign, or a task of one.
    """
    if sent.get("campaign", machine.campaign.slug) != machine.campaign.slug:
        raise NotFound(_("Campaign not found."))
    task = sent.get("task")
    if task is not None:
        row_or_404(Task.objects.of(machine.campaign_id), "Task not found.", pk=task)
    if lending_stopped(campaign_id=machine.campaign_id) is not None:
        return None
    waiting_judgments_number(campaign=machine.campaign)
    in_hand = {sent.get("after"), *sent.get("in_hand", ())}
    blocks = machine_assignment(
        machine=machine,
        in_hand=in_hand,
        skipped_before=sent.get("skipped_before"),
        task=task,
    )
    if blocks is None:
        return None
    return machine_assignment_data(blocks, machine=machine)


def machine_answer_data(
    stored: MachineJudgment,
    block: MachineBlock,
) -> dict[str, object]:
    """Return a machine's answer or skip as `JudgmentSerializer` or `SkipSerializer` describes it."""
    stopped = lending_stopped(campaign_id=stored.machine.campaign_id)
    data = {
        "id": stored.client_id,
        "block": block.public_id,
        "assignment": block.assignment_id,
        "duration_ms": stored.duration_ms,
        "active_ms": None,
        "comment": stored.comment,
        "stopped": stopped and stopped.reason.value,
    }
    if stored.skip_reason:
        return {**data, "reason": stored.skip_reason}
    return {
        **data,
        "labels": stored.labels,
        "answer": answer_kind(block.hit.task.protocol).named(stored.answer),
        "submitted_at": stored.submitted_at,
        "feedback": None,
        "taken_back": [],
        "next": None,
    }
