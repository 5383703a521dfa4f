"""The design that HITs of a test set are drawn by."""

from annotation.models import Design


def design_in_force(*, test_set_id: int) -> Design | None:
    """Return the test set's latest design; None if it has none yet, or only imported judgments."""
    return Design.objects.filter(test_set=test_set_id).not_imported().order_by("-id").first()
