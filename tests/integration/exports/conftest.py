"""A task with everything that an export has to say: collapsed outputs, blanks, corrections, skips, formulas, people."""

import pytest

from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Campaign, Judge, User
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

#: Names of systems, two of which a spreadsheet would compute.
SYSTEMS = ("amber", "=SUM(A1)", "'=birch", 'say "no"')


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign("autumn")


@pytest.fixture
def news(campaign: Campaign, organiser: User) -> TestSetWriter:
    """Fourteen judgments of which one corrects another, and one of a judge who is excluded."""
    amber, formula, birch, quoted = SYSTEMS
    writer = TestSetWriter(campaign, "news", SYSTEMS)
    writer.system("_ref", "reference")
    shown = (
        [amber, formula, birch, quoted, "_ref"],
        [f"{formula},{amber}", quoted, birch],
        [birch, amber],
        [f"{birch},{amber},{formula}", quoted],
    )
    with writer.at_once():
        for segment, names in enumerate(shown, 1):
            block = writer.block(segment, names)
            for place, judge in enumerate(("j1", "-j2", "+j3")):
                labels: list[int | None] = [
                    1 + (at + place) % 5 for at in range(len(names))
                ]
                if segment == 2 and place == 1:
                    labels[0] = None
                first = writer.judgment(
                    judge,
                    block,
                    labels,
                    active_ms=None,
                    comment="Of law.",
                )
                if segment == 1 and place == 0:
                    writer.judgment(judge, block, labels[::-1], supersedes=first)
        skipped = writer.block(5, [amber, birch])
        writer.skip("j1", skipped, comment="=cmd")
        out = writer.block(6, [amber, quoted])
        writer.judgment("out", out, [2, 1])
    excluded = writer.judge("out")
    Judge.objects.filter(pk=excluded.pk).update(address="jana@example.org")
    User.objects.filter(judges=excluded).update(name="Jana Judgeova")
    quality_action_take(
        judge=excluded,
        task=writer.task,
        decision=JudgeDecision(action="exclude", user=organiser, note="Too fast."),
    )
    return writer
