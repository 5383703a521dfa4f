"""Report on ratings, for page, REST and command."""

from typing import Final

from django.utils.translation import gettext_lazy

from campaign.models import Protocol
from protocols.frame.scale.report import scale_analysis

ANALYSIS: Final = scale_analysis(
    Protocol.RATING,
    title=gettext_lazy("Ratings"),
    question=gettext_lazy(
        "How good are the outputs by each criterion, and how reliable are the judges?"
    ),
)
