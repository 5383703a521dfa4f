"""What the database refuses of a campaign that moves to another cell."""

from collections.abc import Callable
from functools import partial

from campaign.models import Campaign, CampaignMove
from tests.factories import make_campaign, make_judge
from tests.integration.constraints.assignments import assignment
from tests.integration.constraints.breakages import Attempt, Create, breaks
from tests.integration.constraints.judgments import first_judgment, skip
from tests.integration.constraints.problem_reports import problem_report
from tests.integration.constraints.sorts import second_verdict


@breaks("judge_of_no_moving_campaign")
def a_judge_joins_a_campaign_that_moves(attempt: Attempt) -> None:
    moves, stays = make_campaign("moves"), make_campaign("stays")
    CampaignMove.objects.create(campaign=moves, to_cell=1)
    with attempt.refuses(saying="moves to another cell"):
        make_judge(moves)
    with attempt.accepts():
        make_judge(stays)


def something_is_written(arrange: Callable[[], Create], attempt: Attempt) -> None:
    """Write it while its campaign moves; then while another does."""
    create = arrange()
    own, other = Campaign.objects.get(), make_campaign("other")
    move = CampaignMove.objects.create(campaign=own, to_cell=1)
    with attempt.refuses(saying="moves to another cell"):
        create()
    move.delete()
    CampaignMove.objects.create(campaign=other, to_cell=1)
    with attempt.accepts():
        create()


for written, arrange in {
    "judgment": first_judgment,
    "skip": skip,
    "problem_report": problem_report,
    "assignment": assignment,
    "sorting_verdict": second_verdict,
}.items():
    breaks(f"{written}_of_no_moving_campaign")(partial(something_is_written, arrange))
