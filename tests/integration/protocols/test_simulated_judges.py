"""Simulated judges create the same rows as people."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.db.models import DateTimeField, Model

from annotation.models import Assignment, Judgment, PageChanges, UncountedAnswer
from annotation.protocols.answer_kinds import answer_kind
from annotation.selectors.judging import assigned_blocks
from annotation.services import simulation
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedJudgment,
    SimulatedWork,
    campaign_simulate,
)
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Output, Protocol
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import EVERY_PROTOCOL

pytestmark = pytest.mark.django_db

Rows = dict[str, list[str]]


def rows_stored() -> Rows:
    """Return the rows of judging, with judgments by the id their browser gave them and without times of the clock.

    Requests of rankings are left out: the simulation requests a ranking when all have judged.
    """
    names = dict(Judgment.objects.values_list("pk", "client_id"))
    models = [
        model
        for model in apps.get_models()
        if (model._meta.label.startswith("annotation.") or _is_of_judgments(model))
        and model is not PageChanges
    ]
    return {
        model._meta.label: sorted(
            _row(row, names) for row in model._default_manager.all()
        )
        for model in models
    }


def _is_of_judgments(model: type[Model]) -> bool:
    return any(field.related_model is Judgment for field in model._meta.concrete_fields)


def _row(row: Model, names: dict[int, Any]) -> str:
    found = {}
    for field in row._meta.concrete_fields:
        value = field.value_from_object(row)
        if field.related_model is Judgment or (
            field.model is UncountedAnswer and field.name == "answer"
        ):
            value = names.get(value)
        elif isinstance(field, DateTimeField):
            value = value is not None
        elif field.primary_key and (field.remote_field is None):
            continue
        found[field.name] = value
    return repr(found)


def submitted_one_by_one(
    assignment: Assignment,
    judged: Sequence[SimulatedJudgment],
) -> None:
    blocks = {block.block_id: block for block in assigned_blocks(assignment)}
    kind = answer_kind(assignment.hit.task.protocol)
    for each in judged:
        judgment_submit(
            assigned=blocks[each.block_id],
            client_id=each.client_id,
            sent=SentJudgment(
                **{"answer" if kind.has_answers else "labels": each.answer},
                duration_ms=each.duration_ms,
                active_ms=each.active_ms,
            ),
        )


@EVERY_PROTOCOL
def test_simulated_judgments_are_stored_like_submitted_ones(
    make_task_of: MakeTask,
    protocol: Protocol,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = make_task_of(protocol)
    at_once = simulation.simulated_store
    compared = 0

    def store_both_ways(
        assignment: Assignment,
        judged: Sequence[SimulatedJudgment],
    ) -> None:
        nonlocal compared
        with transaction.atomic():
            at_once(assignment, judged)
            stored = rows_stored()
            transaction.set_rollback(True)
        submitted_one_by_one(assignment, judged)
        assert stored == rows_stored()
        compared += len(judged)

    monkeypatch.setattr(simulation, "simulated_store", store_both_ways)
    outputs = Output.objects.filter(segment__test_set=task.test_set).values_list(
        "pk",
        flat=True,
    )
    campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[
            SimulatedJudge("careful", noise=5),
            SimulatedJudge("careless", noise=None),
        ],
        languages=["en", "de"],
        work=SimulatedWork(
            hits_each=2,
            qualities={output: output * 37 % 100 for output in outputs},
            seed=3,
        ),
        task=task,
    )
    assert compared >= 3
