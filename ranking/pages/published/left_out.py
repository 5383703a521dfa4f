"""Who and what a published result leaves out, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.models import QualityRule
from ranking.pages.judge_measures import breach_in_words, rule_in_words
from ranking.pages.published.reading import Content
from ranking.wording.published_reasons import reason_published


@dataclass(frozen=True, slots=True)
class LeftOutLine:
    """What is left out; `blocks` is None where none are counted, `decided` says when and by whom."""

    what: str
    blocks: int | None
    why: str
    decided: str


def left_out_lines(content: Content) -> list[LeftOutLine]:
    """Return what is left out: judges first, then what never is part of a result."""
    left_out = content["left_out"]
    return [
        *map(_judge, left_out["judges"]),
        *_group(content),
        *_kind(left_out["references"], _("Reference"), _("A human translation: not ranked.")),
        *_kind(
            left_out["damaged_references"],
            _("Damaged reference"),
            _("Shows whether judges read: not ranked."),
        ),
        LeftOutLine(
            _("Rehearsals and control blocks"), None, _("Never part of a result."), _("by design")
        ),
    ]


def _judge(judge: Mapping[str, Any]) -> LeftOutLine:
    return LeftOutLine(
        what=_("Judge %(name)s") % {"name": judge["judge"]},
        blocks=judge["blocks"],
        why=_why(judge),
        decided=_decided(judge),
    )


def _why(judge: Mapping[str, Any]) -> str:
    if judge["rule"] is not None:
        evidence = breach_in_words(judge["evidence"] or {})
        rule = rule_in_words(QualityRule(**judge["rule"]))
        return f"{evidence}. {rule}." if evidence else f"{rule}."
    return reason_published(judge) or _("No reason was given.")


def _decided(judge: Mapping[str, Any]) -> str:
    if judge["decided_by"] is None:
        return "–"
    by = _("by a rule") if judge["decided_by"] == "rule" else _("by an organiser")
    day = date_format(date.fromisoformat(judge["decided_on"]), "DATE_FORMAT")
    return f"{day}, {by}"


def _group(content: Content) -> list[LeftOutLine]:
    group = content["method"]["judge_group"]
    if group is None or not group["judges_outside"]:
        return []
    what = ngettext("%(count)d judge", "%(count)d judges", group["judges_outside"])
    return [
        LeftOutLine(
            what=what % {"count": group["judges_outside"]},
            blocks=None,
            why=_("Not of the group “%(name)s”, whose judgments alone count.")
            % {"name": group["name"]},
            decided=_("by the settings"),
        )
    ]


def _kind(names: list[str], what: str, why: str) -> list[LeftOutLine]:
    return [LeftOutLine(f"{what}: {name}", None, why, _("by design")) for name in names]
