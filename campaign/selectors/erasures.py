"""What is kept of a judge that erasure deletes."""

from campaign.models import (
    BrowserVisit,
    ConflictOfInterest,
    Invitation,
    Judge,
    KeptFile,
    Mail,
)


def erasure_counts(*, judge: Judge) -> dict[str, int]:
    """Return how many rows of what carrying out an erasure would delete now, as `judge_unlink` does. Five queries."""
    links = Invitation.objects.filter(campaign=judge.campaign_id, user=judge.user_id, role="judge")
    named = KeptFile.objects.filter(task__test_set__campaign=judge.campaign_id, names_people=True)
    return {
        "visits": BrowserVisit.objects.filter(judge=judge).count(),
        "links": links.count(),
        "mails": Mail.objects.filter(judge=judge).count(),
        "conflicts": ConflictOfInterest.objects.filter(judge=judge).count(),
        "files": named.count(),
    }
