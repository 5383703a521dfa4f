"""The effects of taking a judge's answer back, in words."""

from django.utils.translation import gettext as _

from annotation.models import Design, Judgment
from campaign.models import Task


def taking_back_in_words(*, judgment: Judgment, task: Task) -> list[str]:
    """Return sentences on what changes if a judge's answers to the block of a judgment no longer count."""
    sentences = [
        _(
            "The answer of %(judge)s to segment %(segment)s no longer counts in rankings, analyses, exports and progress. Nothing is deleted.",
        )
        % {
            "judge": judgment.judge.called,
            "segment": judgment.block.segment.number,
        },
    ]
    if (
        judgment.block.hit.design.kind != Design.Kind.IMPORTED
        and task.closed_at is None
    ):
        sentences.append(
            _(
                "Another block is planned in its place, for any judge who has not seen its segment.",
            ),
        )
        sentences.append(
            _(
                "To have %(judge)s answer again, ask for a review instead: a changed answer replaces this one.",
            )
            % {"judge": judgment.judge.called},
        )
    return sentences
