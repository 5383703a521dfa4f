"""Answers of protocols are append-only."""

from collections.abc import Callable
from functools import partial

from django.db.models import Model

from protocols.models import EditingAnswer, RatingAnswer, SpansAnswer, TwoOutputsAnswer
from tests.integration.constraints.answers import answer
from tests.integration.constraints.breakages import Attempt, Create, breaks
from tests.integration.constraints.edits import edit_of_one
from tests.integration.constraints.ratings import rating
from tests.integration.constraints.scores import scored


def an_answer_is_changed_or_deleted(
    model: type[Model],
    arrange: Callable[[], Create],
    change: dict[str, object],
    attempt: Attempt,
) -> None:
    create = arrange()
    with attempt.accepts():
        create()
    create()
    with attempt.refuses(saying="Cannot update"):
        model._default_manager.update(**change)
    with attempt.refuses(saying="Cannot update or delete"):
        model._default_manager.all().delete()


CHANGES: dict[str, tuple[type[Model], Callable[[], Create], dict[str, object]]] = {
    "rating": (RatingAnswer, rating, {"points": [5]}),
    "two_outputs": (TwoOutputsAnswer, answer, {"verdict": "first"}),
    "spans": (SpansAnswer, scored, {"scores": [80, 40]}),
    "editing": (EditingAnswer, edit_of_one, {"outcome": "unchanged"}),
}
for name, changed in CHANGES.items():
    breaks(f"{name}_answer_append_only")(
        partial(an_answer_is_changed_or_deleted, *changed),
    )
