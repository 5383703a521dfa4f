"""Questions that may be asked of judgments, of a test set or of files: what each needs to know, and its report.

A kind of analysis is a function from judgments and options to a `Report`. Pages, REST and commands share it, so
the same choice gives the same figures everywhere. It reads nothing and stores nothing.
"""

from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option, OptionError, completed
from ranking.analyses.registry import ANALYSES, analysis_named, analysis_register

__all__ = [
    "ANALYSES",
    "AnalysisKind",
    "Begin",
    "Option",
    "OptionError",
    "analysis_named",
    "analysis_register",
    "completed",
]
