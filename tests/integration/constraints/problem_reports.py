"""Problems that judges report, and replies to them."""

from functools import partial

from annotation.models import (
    ProblemReport,
)
from tests.factories import make_judge
from tests.integration.constraints.breakages import Create
from tests.integration.constraints.judgments import ONE_ID
from tests.integration.constraints.worlds import make_shown


def problem_report() -> Create:
    shown = make_shown()
    return partial(
        ProblemReport.objects.create,
        client_id=ONE_ID,
        judge=make_judge(shown.task.test_set.campaign),
        block=shown.block,
        task=shown.task,
        kind="source",
    )
