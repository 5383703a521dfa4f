"""Names and sources of ranking methods, and those available for the live ranking."""

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from django.db import models
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models.system import system_label
from campaign.texts.joining import comma_list
from ranking.core.rankings.records import RankedRow, UnrankedRow
from ranking.core.scores import Shortage

#: Names of the methods of `ranking.core.methods.registry.METHODS`.
METHOD_WORDS: Mapping[str, Promise | str] = MappingProxyType(
    {
        "expected_wins": gettext_lazy("Expected Wins"),
        "bradley_terry": gettext_lazy("Bradley–Terry with ties"),
        "davidson_judges": gettext_lazy("Bradley–Terry with ties per judge"),
        "hopkins_may": gettext_lazy("Hopkins and May"),
        "trueskill_wmt": gettext_lazy("TrueSkill (WMT)"),
        "trueskill": gettext_lazy("TrueSkill"),
        "bojar": gettext_lazy("> others, ties left out"),
        "geq_others": gettext_lazy("≥ others"),
        "gt_others": gettext_lazy("> others"),
        "geq_all_in_block": gettext_lazy("≥ all in block"),
        "gt_all_in_block": gettext_lazy("> all in block"),
        "lopez": gettext_lazy("Lopez: fewest violated comparisons"),
    },
)
#: The publication that describes each method.
METHOD_SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "expected_wins": "Koehn (2012)",
        "bradley_terry": "Davidson (1970)",
        "davidson_judges": "Davidson (1970)",
        "hopkins_may": "Hopkins & May (2013)",
        "trueskill_wmt": "Sakaguchi et al. (2014)",
        "trueskill": "Herbrich et al. (2007)",
        "bojar": "Bojar et al. (2011)",
        "geq_others": "Callison-Burch et al. (2007)",
        "gt_others": "Bojar et al. (2011)",
        "geq_all_in_block": "Bojar et al. (2011)",
        "gt_all_in_block": "Bojar et al. (2011)",
        "lopez": "Lopez (2012)",
    },
)


#: Label and help of each option of a method.
OPTION_WORDS = MappingProxyType(
    {
        "prior": (
            gettext_lazy("Prior wins"),
            gettext_lazy(
                "Wins added to each side of every compared pair. A larger number draws the abilities closer together.",
            ),
        ),
    },
)


class LiveMethod(models.TextChoices):
    """Methods available for the live ranking of a task."""

    BY_DESIGN = "by_design", gettext_lazy("default for the design")
    EXPECTED_WINS = "expected_wins", METHOD_WORDS["expected_wins"]
    BRADLEY_TERRY = "bradley_terry", METHOD_WORDS["bradley_terry"]
    BOJAR = "bojar", METHOD_WORDS["bojar"]
    GEQ_OTHERS = "geq_others", METHOD_WORDS["geq_others"]
    GT_OTHERS = "gt_others", METHOD_WORDS["gt_others"]
    GEQ_ALL_IN_BLOCK = "geq_all_in_block", METHOD_WORDS["geq_all_in_block"]
    GT_ALL_IN_BLOCK = "gt_all_in_block", METHOD_WORDS["gt_all_in_block"]


def live_method_words() -> list[dict[str, str]]:
    """Return the available methods, recommended one first, with descriptions and when to choose them."""
    older = _("Choose this to compare with earlier campaigns that used it.")
    when = {
        "expected_wins": _(
            "Choose this for a score that is easy to explain: a share of wins.",
        ),
        "bradley_terry": _(
            "Choose this if some pairs are compared more often than others, or if ties should count.",
        ),
        "bojar": _("Choose this to compare with the official scores of WMT12."),
    }
    by_design = {
        "name": LiveMethod.BY_DESIGN.value,
        "label": _("Default for the design (recommended)"),
        "what": _(
            "Expected Wins; Bradley–Terry with ties once an active design has chosen pairs.",
        ),
        "when": _("Choose this unless you have a reason not to."),
    }
    offered = [by_design]
    for name in LiveMethod.values[1:]:
        method = {
            "name": name,
            "label": str(METHOD_WORDS[name]),
            "what": score_words(name),
            "when": when.get(name, older),
            "source": METHOD_SOURCES[name],
        }
        offered.append(method)
    return offered


def methods_not_offered() -> list[tuple[str, str]]:
    """Return the methods available only in analyses, each with the reason why it has no live ranking."""
    judgments = _(
        "It cannot be updated incrementally: each new judgment would need a full computation.",
    )
    lopez = _(
        "Its rank ranges need a search for each resample, which takes minutes if systems are close.",
    )
    not_offered = [(str(METHOD_WORDS["lopez"]), lopez)]
    for name in ("davidson_judges", "hopkins_may", "trueskill_wmt", "trueskill"):
        not_offered.append((str(METHOD_WORDS[name]), judgments))
    return not_offered


def score_words(method: str) -> str:
    """Return a description of a method's score, in a sentence or two; empty for methods without one."""
    return {
        "expected_wins": _(
            "Expected Wins: the share of decided comparisons the system wins, averaged over its opponents.",
        ),
        "bradley_terry": _(
            "Ability in the Bradley–Terry model: the larger the difference between two abilities, the more often one system is preferred to the other. It accounts for unequal numbers of comparisons.",
        ),
        "bojar": _("The share of decided comparisons the system wins."),
        "geq_others": _("The share of comparisons the system wins or ties."),
        "gt_others": _(
            "The share of comparisons the system wins; ties count as losses.",
        ),
        "geq_all_in_block": _("The share of blocks in which no output is better."),
        "gt_all_in_block": _(
            "The share of blocks in which the system beats all others.",
        ),
    }.get(method, "")


def not_yet_in_words(shortage: Shortage) -> str:
    """Return why a number is not estimable yet: "Not estimable yet (Blocks: 3 of 8)"."""
    count = number_format(int(shortage.found))
    if shortage.found % 1:
        # Round down, so that too few units never look like enough.
        count = number_format(math.floor(shortage.found * 10 + 1e-6) / 10, 1)
    units = {
        "comparisons": _("Comparisons"),
        "blocks": _("Blocks"),
        "judgments": _("Judgments"),
        "segments": _("Segments"),
        "documents": _("Documents"),
        "judges": _("Judges"),
        "snippets": _("Snippets"),
        "edits": _("Edits"),
        "items": _("Texts"),
        "ratings": _("Ratings"),
        "counted_segments": _("Segments"),
        "counted_judges": _("Judges"),
        "shared_segments": _("Shared segments"),
    }
    if shortage.is_effective:
        units |= {
            "blocks": _("Effective blocks"),
            "segments": _("Effective segments"),
            "judges": _("Effective judges"),
        }
    return _("Not estimable yet (%(unit)s: %(found)s of %(needed)s)") % {
        "found": count,
        "needed": number_format(shortage.needed),
        "unit": units[shortage.unit],
    }


def shortages_of_rows(rows: Sequence[RankedRow]) -> list[str]:
    """Return the shortages of ranked systems in words; `rows` are those of one group in the result of a ranking."""
    shortages = {}
    for row in rows:
        shortage = row.get("shortage")
        if shortage:
            shortages[row["system"]] = Shortage(**shortage)
    return shortages_in_words(shortages, len(rows))


def shortages_in_words(shortages: Mapping[str, Shortage], systems: int) -> list[str]:
    """Return the shortages of systems without estimable rank ranges; one sentence if all `n` ranked systems lack data."""
    if shortages and len(shortages) == systems:
        largest = min(shortages.values(), key=_share_reached)
        reason = lowered(not_yet_in_words(largest))
        return [_("Rank ranges, clusters and p-values: %(why)s.") % {"why": reason}]
    names: dict[str, list[str]] = {}
    for system, shortage in shortages.items():
        names.setdefault(not_yet_in_words(shortage), []).append(system)
    sentences = []
    for reason, alike in names.items():
        labels = comma_list(map(system_label, alike))
        sentences.append(
            _("%(system)s: %(why)s.") % {"system": labels, "why": lowered(reason)},
        )
    return sentences


def _share_reached(shortage: Shortage) -> float:
    return shortage.found / shortage.needed


def lowered(phrase: str) -> str:
    """Return a phrase with a lower-case first letter, for the middle of a sentence."""
    return phrase[:1].lower() + phrase[1:]


def unranked_in_words(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the systems that a ranking does not rank, each with the reason."""
    rows: Sequence[UnrankedRow] = result["not_estimable"]
    return [(row["system"], reason_in_words(row["reason"])) for row in rows]


def reason_in_words(reason: str) -> str:
    """Return the reason why a system has no rank, or a judge no κ."""
    return {
        "no_comparison": _("not compared yet"),
        "only_ties": _("only ties so far"),
        "chance_is_certain": _("only ties so far"),
        "separated": _("won or lost all comparisons"),
        "not_converged": _("the estimate did not converge"),
    }.get(reason, reason)
