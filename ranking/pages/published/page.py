"""The page of a published result, with who and what was left out of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from annotation.models import QualityRule
from campaign.texts.languages import language_name
from ranking.files.bundles.names import INDEX
from ranking.models import PublishedResult
from ranking.pages import formats
from ranking.pages.judge_measures import breach_in_words, rule_in_words
from ranking.pages.plots import RankPlot, rank_plots
from ranking.pages.published.differences import newer_version, version_lines
from ranking.pages.published.matrix import MatrixRow, pair_matrix
from ranking.pages.published.reading import Content, day_of, moment_of, run_of, withdrawn_in
from ranking.pages.summary import RankingSummary, summarise_run
from ranking.reports.published import FOLDER, PublishedFile, bibtex_file
from ranking.wording.agreement import strength_caution, strength_in_words
from ranking.wording.not_yet import reason_in_words
from ranking.wording.published_method import firmness_in_words, method_sentences, reason_published


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


@dataclass(frozen=True, slots=True)
class PublishedPage:
    """The content of a result, ready to be shown.

    Attributes
    ----------
    content : mapping
    summary : RankingSummary
        The finding in words.
    languages : str
        "Czech → English".
    firmness : sequence of str
        How many judgments decide first place; empty where that was not computed.
    strength : str or None
        The word of Landis and Koch for κ between judges.
    self_agreement : str or None
        κ of judges with themselves, in a sentence; None where it was not known.
    plots : sequence of RankPlot
        A table for each group of systems that comparisons connect.
    """

    content: Content
    summary: RankingSummary
    languages: str
    published_at: datetime
    firmness: Sequence[str]
    plots: Sequence[RankPlot]
    withdrawn: frozenset[str]
    not_estimable: Sequence[tuple[str, str]]
    matrix: Sequence[MatrixRow]
    strength: str | None
    strength_caution: str
    self_agreement: str | None
    method: Sequence[str]
    left_out: Sequence[LeftOutLine]
    first_day: date | None
    last_day: date | None


def published_page(content: Content) -> PublishedPage:
    """Return what the page of this content shows."""
    ranking, test_set = content["ranking"], content["test_set"]
    systems = ranking["systems"]
    return PublishedPage(
        content=content,
        summary=summarise_run(run_of(content)),
        languages=languages_in_words(test_set["source_language"], test_set["target_language"]),
        published_at=moment_of(content["published_at"]),
        firmness=_firmness(content),
        plots=rank_plots(systems, has_unranked=bool(ranking["not_estimable"])),
        withdrawn=withdrawn_in(content),
        not_estimable=[
            (row["system"], reason_in_words(row["reason"])) for row in ranking["not_estimable"]
        ],
        matrix=pair_matrix(content),
        strength=strength_in_words(content["agreement"]["inter"]["kappa"]),
        strength_caution=strength_caution(),
        self_agreement=_self_agreement(content),
        method=method_sentences(content),
        left_out=left_out_lines(content),
        first_day=day_of(content["input"]["first_day"]),
        last_day=day_of(content["input"]["last_day"]),
    )


def _firmness(content: Content) -> list[str]:
    section = content["sections"].get("firmness")
    return [] if section is None else firmness_in_words(section)


def _self_agreement(content: Content) -> str | None:
    section = content["sections"].get("self_agreement")
    if section is None:
        return None
    kappa = formats.kappa(section["kappa"])
    # Results that were published before have no interval.
    low, high = section.get("low"), section.get("high")
    if low is None or high is None:
        return _("κ of judges with themselves %(kappa)s.") % {"kappa": kappa}
    return _("κ of judges with themselves %(kappa)s (%(low)s to %(high)s).") % {
        "kappa": kappa,
        "low": formats.kappa(low),
        "high": formats.kappa(high),
    }


def frozen_in_words(content: Content) -> str:
    """Return which version this is, since when, and that it stays as it is."""
    return _(
        "Version %(version)s, published %(day)s. Nothing on this page changes any more: a correction "
        "becomes a version of its own."
    ) % {
        "version": content["version"],
        "day": date_format(moment_of(content["published_at"]), "DATE_FORMAT"),
    }


def draft_in_words(content: Content) -> str:
    """Return which version this would be."""
    return _("Version %(version)s, as it would be: it is not published yet.") % {
        "version": content["version"]
    }


def languages_in_words(source: str, target: str) -> str:
    """Return "Czech → English"."""
    return _("%(source)s → %(target)s") % {
        "source": language_name(source),
        "target": language_name(target),
    }


#: The style sheets of the page, as templates/base.html and templates/published/result.html name them.
_STYLES: Final = ("base", "scripts", "dashboard", "published")


def result_shown(
    result: PublishedResult, versions: Sequence[PublishedResult], *, page_url: str
) -> dict[str, Any]:
    """Return what is shown of a result beside its files.

    Parameters
    ----------
    versions : sequence of PublishedResult
        Those that its reader may see, the newest first.
    page_url : str
        Its address for everybody.
    """
    return {
        **_frozen(PublishedFile(result.content, result.digest, page_url)),
        "result": result,
        "lines": version_lines(versions, shown=result),
        "newer": newer_version(versions, result),
        "results_url": page_url.removesuffix(f"{result.address}/"),
    }


def result_file(result: PublishedResult) -> PublishedFile:
    """Return what the files of the folder are written from; their address is known where `PUBLIC_ADDRESS` is."""
    place = reverse("published-result", args=[result.address])
    public = settings.PUBLIC_ADDRESS.rstrip("/")
    return PublishedFile(result.content, result.digest, f"{public}{place}" if public else "")


def frozen_page(result: PublishedResult, names: Sequence[str]) -> str:
    """Return the page of the folder with these files: in English, with its styles in it, and nothing that may change."""
    folder = settings.BASE_DIR / "static" / "css"
    with override("en"):
        context = {
            **_frozen(result_file(result)),
            "result": result,
            "files": [
                {"name": name, "words": FOLDER[name].words, "address": name, "url": ""}
                for name in names
                if name != INDEX
            ],
            "styles": "".join((folder / f"{name}.css").read_text("utf-8") for name in _STYLES),
        }
        return render_to_string("published/frozen.html", context)


def _frozen(written: PublishedFile) -> dict[str, Any]:
    return {
        "page": published_page(written.content),
        "frozen_words": frozen_in_words(written.content),
        "page_url": written.url,
        "citation": bibtex_file(written),
    }
