"""The judges of an analysis, to be acted on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from ranking.models import Analysis
from ranking.pages.formats import interval, kappa
from ranking.selectors.analysis_judges import judges_in_answer

#: More judges than this are named in a field.
MOST_LISTED = 200


@dataclass(frozen=True, slots=True)
class JudgeToAct:
    """A judge, and what the analysis found of them in words."""

    judge: str
    words: str
    stands_out: bool


def judges_to_act(analysis: Analysis) -> list[JudgeToAct]:
    """Return the first judges of an answer, those who stand out in front."""
    return [
        JudgeToAct(row.judge, figures_in_words(row.figures), row.stands_out)
        for row in judges_in_answer(analysis)[:MOST_LISTED]
    ]


def figures_in_words(figures: Mapping[str, Any]) -> str:
    """Return the figures of an answer that were looked at, as one line."""
    said = []
    if "blocks" in figures:
        said.append(_("Blocks: %(count)s") % {"count": number_format(figures["blocks"])})
    if "kappa" in figures:
        with_whom = figures.get("other")
        words = (
            _("κ with %(judge)s: %(kappa)s")
            % {"judge": with_whom, "kappa": kappa(figures["kappa"])}
            if with_whom
            else _("κ with others: %(kappa)s") % {"kappa": kappa(figures["kappa"])}
        )
        if "low" in figures and "high" in figures:
            words += f" ({interval(kappa(figures['low']), kappa(figures['high']))})"
        said.append(words)
    if "comparable" in figures:
        said.append(f"n = {number_format(figures['comparable'])}")
    if figures.get("below"):
        said.append(
            _("pairs below the band: %(count)s") % {"count": number_format(figures["below"])}
        )
    if "rules" in figures:
        said.append(_("stands out by %(rules)s") % {"rules": ", ".join(figures["rules"])})
    return pgettext("between figures", "; ").join(said)
