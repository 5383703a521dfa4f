"""How the rank ranges of test sets are to be made."""

from ranking.models import RankingSettings


def ranking_settings_in_force(*, test_set_id: int) -> RankingSettings:
    """Return the newest settings of a test set; the defaults, unsaved, where nobody changed them."""
    newest = RankingSettings.objects.of(test_set_id).order_by("-id").first()
    # Unsaved, it has no time; the field would offer the database's.
    return newest or RankingSettings(test_set_id=test_set_id, created_at=None)  # type: ignore[misc]
