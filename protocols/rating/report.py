"""Report on ratings, for page, REST and command."""

from typing import Final

from protocols.frame.scale import report

ANALYSIS: Final = report.ANALYSIS
