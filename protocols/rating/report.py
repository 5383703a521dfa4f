"""Report on adequacy and fluency, for page, REST and command."""

from typing import Final

from django.utils.translation import gettext_lazy

from campaign.models import Protocol
from protocols.frame.scale.report import scale_analysis

ANALYSIS: Final = scale_analysis(
    Protocol.RATING,
    title=gettext_lazy("Adequacy and fluency"),
    question=gettext_lazy(
        "How fluent and adequate are the outputs, and how reliable are the judges?"
    ),
)
