"""Which design draws the HITs of a test set."""

from annotation.models import Design


def design_in_force(*, test_set_id: int) -> Design | None:
    """The test set's latest design; None before the first, and where all is imported."""
    return Design.objects.filter(test_set=test_set_id).drawing().order_by("-id").first()
