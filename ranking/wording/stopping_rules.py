"""When judging is to end, by a rule set beforehand: what it looks at, in words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, Final

from django.db import models
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from ranking.wording.numbers import percent_in_figures


class RuleTests(models.TextChoices):
    """By what a stopping rule tells systems apart."""

    HOLM = "holm", gettext_lazy("tests of pairs, corrected by Holm")
    ANYTIME = "anytime", gettext_lazy("ranges that hold at any time")


#: What a rule may look at, in the order in which it is said; the rule is met by whichever comes first.
CRITERIA: Final = ("pairs_share", "clusters", "judgments", "until")
#: Those that follow from which systems are told apart.
OF_TESTS: Final = ("pairs_share", "clusters")


def rule_in_words(rule: Mapping[str, Any]) -> str:
    """Return a rule, as rankings record it, in a sentence; empty if there is none."""
    criteria = [criterion_in_words(name, rule) for name in CRITERIA if rule.get(name) is not None]
    if not criteria:
        return ""
    if len(criteria) == 1:
        return _("Stop at %(criterion)s.") % {"criterion": criteria[0]}
    return _("Stop at %(criteria)s, whichever is first.") % {
        "criteria": pgettext("between criteria", ", or ").join(criteria)
    }


def criterion_in_words(name: str, rule: Mapping[str, Any]) -> str:
    """Return what a rule looks at, and where it ends."""
    value = rule[name]
    if name == "judgments":
        words = ngettext("%(count)s judgment", "%(count)s judgments", value)
        return words % {"count": number_format(value)}
    if name == "until":
        day = date.fromisoformat(value) if isinstance(value, str) else value
        return str(date_format(day, "DATE_FORMAT"))
    by = (
        _("at any time, %(confidence)s %%")
        if rule["tests"] == RuleTests.ANYTIME
        else _("Holm, %(confidence)s %%")
    ) % {"confidence": percent_in_figures(rule["confidence"])}
    if name == "pairs_share":
        return _("%(share)s %% of the pairs told apart (%(by)s)") % {
            "share": percent_in_figures(value),
            "by": by,
        }
    if rule["tests"] == RuleTests.ANYTIME:
        return _("%(count)s clusters (%(by)s)") % {"count": number_format(value), "by": by}
    return _("%(count)s clusters") % {"count": number_format(value)}


def looks_at_tests(rule: Mapping[str, Any]) -> bool:
    """Return whether a rule looks at which systems are told apart."""
    return any(rule.get(name) is not None for name in OF_TESTS)


def looking_in_words(rule: Mapping[str, Any]) -> str:
    """Return what it means to stop by such a rule when one looks again and again; empty if it means nothing."""
    if not looks_at_tests(rule):
        return ""
    if rule["tests"] == RuleTests.ANYTIME:
        return _(
            "Ranges that hold at any time are right at all looks together, so this rule may be looked at as "
            "often as one likes."
        )
    return _(
        "Ordinary tests and rank ranges are right at one look, fixed in advance. Looked at sixty times, "
        "they told equal systems apart in 14 to 48 of 100 simulated campaigns; ranges that hold at any time "
        "did in at most 3. What is claimed after stopping by this rule should rest on those."
    )
