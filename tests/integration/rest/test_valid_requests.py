"""Every operation that writes takes a valid request in a filled campaign, and answers as described."""

from typing import Any

import pytest

from tests.permissions.world import World
from tests.valid_requests import BODIES, PREPARED, WritesWalk

pytestmark = pytest.mark.django_db


@pytest.fixture
def walk(schema: dict[str, Any], world: World) -> WritesWalk:
    return WritesWalk(world, schema)


def test_every_operation_with_a_body_has_a_valid_one(walk: WritesWalk) -> None:
    """A new operation fails this test until tests/valid_requests.py declares its body."""
    with_body = {name for name, each in walk.operations.items() if each.body_types}
    assert with_body - BODIES.keys() - PREPARED.keys() == set()
    assert (BODIES.keys() | PREPARED.keys()) - walk.operations.keys() == set()


def test_valid_requests_succeed_and_answers_are_as_described(walk: WritesWalk) -> None:
    for name in walk.operations:
        walk.walk(name)
    world = walk.world
    for task in (world.quiz, world.rating, world.spans, world.best_worst, world.speech):
        walk.walk("design_preview", task_id=task.pk)
        walk.walk("design_forecast", task_id=task.pk)
    assert walk.differences == []
