"""Progress of a judge, for pages before the judging page."""

from django import template

from annotation.selectors.progress import JudgeProgress, judge_work
from campaign.models import Judge

register = template.Library()


@register.simple_tag
def progress_of(judge: Judge) -> JudgeProgress:
    """Return the judge's progress. One query."""
    return judge_work(judge).progress
