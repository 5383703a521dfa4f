"""What is kept for good is not emptied either: TRUNCATE passes the triggers that refuse DELETE."""

from collections.abc import Callable
from functools import partial

import pgtrigger
from django.db import connection
from django.db.models import Model

from annotation.models import (
    Judgment,
    JudgmentNumber,
    ProblemReply,
    ProblemReport,
    QualityAction,
    QualityReversal,
    Skip,
)
from campaign.models import (
    Acceptance,
    ActivityEvent,
    CampaignStateChange,
    ErasureRequest,
    Instructions,
)
from protocols.editing.models import Answer as EditingAnswer
from protocols.quiz.models import Answer as QuizAnswer
from protocols.rating.models import Answer as Rating
from protocols.sorting.models import ClosedComparison
from protocols.spans.models import Answer as SpansAnswer
from protocols.two_outputs.models import Answer
from ranking.models import PublishedResult, RankingRun, RankingSettings, StoppingRule
from tests.integration.constraints.answers import answer
from tests.integration.constraints.breakages import Attempt, Create, breaks
from tests.integration.constraints.edits import edit_of_one
from tests.integration.constraints.ratings import rating
from tests.integration.constraints.scores import scored

KEPT: dict[str, type[Model]] = {
    "judgment": Judgment,
    "rating_answer": Rating,
    "two_outputs_answer": Answer,
    "spans_answer": SpansAnswer,
    "editing_answer": EditingAnswer,
    "quiz_answer": QuizAnswer,
    "sorting_verdict": ClosedComparison,
    "judgment_number": JudgmentNumber,
    "skip": Skip,
    "erasure_request": ErasureRequest,
    "problem_report": ProblemReport,
    "problem_reply": ProblemReply,
    "quality_action": QualityAction,
    "quality_reversal": QualityReversal,
    "instructions": Instructions,
    "acceptance": Acceptance,
    "state_change": CampaignStateChange,
    "activity_event": ActivityEvent,
    "ranking_run": RankingRun,
    "ranking_settings": RankingSettings,
    "stopping_rule": StoppingRule,
    "published_result": PublishedResult,
}


def a_table_is_emptied(model: type[Model], attempt: Attempt) -> None:
    with attempt.refuses(saying="Cannot truncate"):
        truncate(model)
    # The owner has one named way past the triggers.
    with attempt.accepts(), pgtrigger.ignore():
        truncate(model)


def truncate(model: type[Model]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {model._meta.db_table} CASCADE")


for name, model in KEPT.items():
    breaks(f"{name}_never_truncated")(partial(a_table_is_emptied, model))


def an_answer_is_changed_or_deleted(
    model: type[Model], arrange: Callable[[], Create], change: dict[str, object], attempt: Attempt
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
    "rating": (Rating, rating, {"value": 5}),
    "two_outputs": (Answer, answer, {"verdict": "first"}),
    "spans": (SpansAnswer, scored, {"scores": [80, 40]}),
    "editing": (EditingAnswer, edit_of_one, {"outcome": "unchanged"}),
}
for name, changed in CHANGES.items():
    breaks(f"{name}_answer_append_only")(partial(an_answer_is_changed_or_deleted, *changed))
