"""Published results: the page, changes between versions, open issues before the next one, and the frozen folder."""

import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final, TypedDict

from django.conf import settings
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import override

from annotation.models import PageChanges, QualityRule
from campaign.models import CampaignState, Job, JobKind, Task
from campaign.models.system import system_in_sentence, system_label
from campaign.services.jobs import JobProgress, handles
from campaign.texts.canonical_json import canonical
from campaign.texts.counted import counted
from campaign.texts.joining import (
    from_to,
    labelled,
    semicolon_list,
    sentence_list,
    with_full_stop,
)
from campaign.texts.languages import language_pair_name
from ranking.core.counting.moments import MIN_UNITS
from ranking.core.ranges import Correction
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.records import RankedRow
from ranking.export.bundles import (
    FrozenResult,
    Progress,
    data_files,
    frozen_result,
    parquet_write,
)
from ranking.export.zips import zip_entry
from ranking.files import bundles
from ranking.models import PublishedResult, RankingRun
from ranking.pages import formats
from ranking.pages.formats import RankPlotContent, rank_plots
from ranking.pages.judge_measures import breach_in_words, rule_in_words
from ranking.pages.report_shown import (
    PLOT_FILES,
    RenderedTable,
    plot_file,
    rendered_tables,
)
from ranking.pages.summary import (
    Summary,
    names_in_a_row,
    summarise_run,
    summary_without_order,
)
from ranking.reports.analyses.pairs import PairTests, pairs_matrix, shares_in_words
from ranking.reports.analyses.ranking import ranks_table
from ranking.reports.analyses.registry import ANALYSES
from ranking.reports.predicted_ranking import completed_by, sample_doubt
from ranking.reports.published_results import (
    FOLDER,
    BundleFile,
    PublishedFile,
    answer_tables,
    basis_of,
    bibtex_file,
    cff_file,
    crate,
    csv_file,
    firmness_of,
    grouped,
    has_own_tests,
    marked_p,
    metric_tables,
    one_line,
    pairs_file,
    published_report,
    readme,
    title_of,
)
from ranking.reports.tables import Column, Report, Table
from ranking.reports.wording.agreement import (
    kappa_in_words,
    kappa_missing_in_words,
    strength_caution,
)
from ranking.reports.wording.methods import unranked_in_words
from ranking.reports.wording.pair_tests import mark_of, own_tests_in_words
from ranking.reports.wording.published_content import (
    ExcludedJudge,
    PublishedContent,
    PublishedMethod,
    PublishedPair,
    PublishedRun,
)
from ranking.reports.wording.published_method import (
    firmness_in_words,
    has_ranking,
    method_name,
    method_sentences,
    pair_sentences,
    reason_published,
)
from ranking.reports.wording.ranges import rank_cell, rank_range
from ranking.reports.writing import FILES, write
from ranking.selectors.runs import ranking_is_due
from ranking.services.published_results.bundles import (
    judging_goes_on,
    result_bundle_store,
)
from ranking.services.published_results.naming import PublishingRefusedError


def run_of(content: PublishedRun) -> RankingRun:
    """Return the frozen ranking as an unsaved run with the published names, to be described like other runs."""
    method = content["method"]
    ranking = content["ranking"]
    return RankingRun(
        method=method["name"],
        parameters=method["parameters"],
        seed=int(method["seed"]),
        watermark=method["watermark"],
        code_version=method["code_version"],
        finished_at=datetime.fromisoformat(method["computed_at"]),
        result={**ranking, "agreement": content["agreement"]},
    )


@dataclass(frozen=True, slots=True)
class LeftOutLine:
    """Excluded data, with blocks, reason, author and time."""

    what: str
    blocks: int | None
    why: str
    decided: str


def left_out_lines(content: PublishedContent) -> list[LeftOutLine]:
    """Return lines for data excluded from the ranking."""
    left_out = content["left_out"]
    return [
        *map(_judge_line, left_out["judges"]),
        *_group_lines(content),
        *_kind_lines(
            left_out["references"],
            _("Reference"),
            _("Written by a person, not ranked."),
        ),
        *_kind_lines(
            left_out["damaged_references"],
            _("Damaged reference"),
            _("Attention check, not ranked."),
        ),
        LeftOutLine(
            what=_("Rehearsals and control blocks"),
            blocks=None,
            why=_("Never part of a result."),
            decided=_("by design"),
        ),
    ]


def _judge_line(judge: ExcludedJudge) -> LeftOutLine:
    what = _("Judge %(name)s") % {"name": judge["judge"]}
    return LeftOutLine(what, judge["blocks"], _why(judge), _decided(judge))


def _why(judge: ExcludedJudge) -> str:
    if judge["rule"] is not None:
        evidence = breach_in_words(judge["evidence"] or {})
        rule = rule_in_words(QualityRule(**judge["rule"]))
        return sentence_list(map(with_full_stop, filter(None, (evidence, rule))))
    return reason_published(judge) or _("No reason given.")


def _decided(judge: ExcludedJudge) -> str:
    if judge["decided_by"] is None or judge["decided_on"] is None:
        return "–"
    day = date_format(date.fromisoformat(judge["decided_on"]), "DATE_FORMAT")
    if judge["decided_by"] == "rule":
        return _("%(day)s, by a rule") % {"day": day}
    return _("%(day)s, by an organiser") % {"day": day}


def _group_lines(content: PublishedContent) -> list[LeftOutLine]:
    group = content["method"]["judge_group"]
    if group is None or not group["judges_outside"]:
        return []
    what = counted("%(count)s judge", "%(count)s judges", group["judges_outside"])
    why = _("Not in the group “%(name)s”; only its judgments count.") % {
        "name": group["name"]
    }
    return [LeftOutLine(what, None, why, _("by the settings"))]


def _kind_lines(names: list[str], what: str, why: str) -> Iterator[LeftOutLine]:
    for label in map(system_label, names):
        named = label
        if label in names:
            named = labelled(what, label)
        yield LeftOutLine(named, None, why, _("by design"))


def pairs_table(content: PublishedContent) -> Table:
    """Return the pairs in the order of ranks, drawn as a matrix."""
    level = RangeOptions.from_record(content["method"]["parameters"]).level
    # Results of older versions mark the tests of scores.
    if has_own_tests(content):
        p = "own_p"
        corrected = "own_adjusted_p"
        limits = content["ranking"]["own_limits"]
        caption = own_tests_in_words("two_way", Correction.HOLM, level, limits=limits)
    else:
        p = "p"
        corrected = "adjusted_p"
        caption = pair_sentences(content)
    return pairs_matrix(
        map(_with_shares, content["ranking"]["pairs"]),
        Column("better", _("Better"), is_text=True, names="system"),
        Column("worse", _("Worse"), is_text=True, names="other"),
        tests=PairTests(p=p, corrected=corrected, level=level),
        notes=[*caption, *shares_in_words(level)],
    )


class PairWithShares(PublishedPair):
    """A pair with the shares of both systems, if any comparison was decided."""

    comparisons: int
    share: float | None
    other_share: float | None
    mark: str


def _with_shares(pair: PublishedPair) -> PairWithShares:
    decided = pair["wins"] + pair["losses"]
    share = None
    other_share = None
    if decided:
        share = pair["wins"] / decided
        other_share = pair["losses"] / decided
    named = pair.copy()
    named["better"] = system_label(pair["better"])
    named["worse"] = system_label(pair["worse"])
    return {
        **named,
        "comparisons": decided,
        "share": share,
        "other_share": other_share,
        "mark": mark_of(marked_p(pair)),
    }


class PublishedPage(TypedDict):
    """The content of a result as shown: numbers in words, tables and plots."""

    content: PublishedContent
    summary: Summary
    has_ranking: bool
    answers: list[RenderedTable]
    languages: str
    firmness: list[str]
    plots: list[RankPlotContent]
    withdrawn: set[str]
    not_estimable: list[tuple[str, str]]
    told_apart_by: list[str]
    pairs: list[RenderedTable]
    strength: str | None
    kappa_missing: str | None
    kappa_chance: str | None
    strength_caution: str
    self_agreement: str | None
    metrics: list[RenderedTable]
    method: list[str]
    left_out: list[LeftOutLine]
    has_teams: bool
    has_constraints: bool
    first_day: date | None
    last_day: date | None


def published_page(content: PublishedContent) -> PublishedPage:
    """Return the content of a result as shown."""
    ranking = content["ranking"]
    test_set = content["test_set"]
    systems = content["systems"]
    firmness: list[str] = []
    if "firmness" in content["sections"]:
        firmness = firmness_in_words(content["sections"]["firmness"])
    has_unranked = bool(ranking["not_estimable"])
    kappa = kappa_in_words(content["agreement"])
    return {
        "content": content,
        "summary": _summary(content),
        "has_ranking": has_ranking(content),
        "answers": _rendered(answer_tables(content)),
        "languages": language_pair_name(
            test_set["source_language"], test_set["target_language"]
        ),
        "firmness": firmness,
        "plots": rank_plots(ranking["systems"], has_unranked=has_unranked),
        "withdrawn": _withdrawn(content),
        "not_estimable": unranked_in_words(ranking),
        "told_apart_by": pair_sentences(content),
        "pairs": _rendered([pairs_table(content)]),
        "strength": kappa["strength"],
        "kappa_missing": kappa["kappa_missing"],
        "kappa_chance": kappa["kappa_chance"],
        "strength_caution": strength_caution(),
        "self_agreement": _self_agreement(content),
        "metrics": _rendered(metric_tables(content)),
        "method": method_sentences(content),
        "left_out": left_out_lines(content),
        "has_teams": any(row["team"] or not row["is_named"] for row in systems),
        "has_constraints": any(row["constrained"] is not None for row in systems),
        "first_day": _day(content["input"]["first_day"]),
        "last_day": _day(content["input"]["last_day"]),
    }


def _rendered(tables: Sequence[Table]) -> list[RenderedTable]:
    return rendered_tables(Report(tables=tables, data={}))


def _summary(content: PublishedContent) -> Summary:
    if has_ranking(content):
        return summarise_run(run_of(content))
    return summary_without_order(ANALYSES[content["sections"]["answers"]["analysis"]])


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    return date.fromisoformat(text)


def _self_agreement(content: PublishedContent) -> str | None:
    section = content["sections"].get("self_agreement")
    if section is None:
        return None
    kappa = formats.kappa(section["kappa"])
    # Older published results have no interval.
    low = section.get("low")
    high = section.get("high")
    if low is None or high is None:
        return _("κ within judges %(kappa)s.") % {"kappa": kappa}
    return _("κ within judges %(kappa)s (%(low)s to %(high)s).") % {
        "kappa": kappa,
        "low": formats.kappa(low),
        "high": formats.kappa(high),
    }


def frozen_in_words(content: PublishedContent) -> str:
    """Return the version, its date, and a note that it never changes."""
    published_at = datetime.fromisoformat(content["published_at"])
    return _(
        "Version %(version)s, published %(day)s. This page never changes: corrections are published as "
        "new versions."
    ) % {
        "version": content["version"],
        "day": date_format(published_at, "DATE_FORMAT"),
    }


def draft_in_words(content: PublishedContent) -> str:
    """Return the version number of the draft in words."""
    return _("Version %(version)s, not published yet.") % {
        "version": content["version"]
    }


#: Maximum number of systems whose ranks are listed; the others are counted.
_NAMED: Final = 6


def differences(before: PublishedContent, after: PublishedContent) -> list[str]:
    """Return the changes between two versions, the most important first."""
    changes = [
        *_judges(before, after),
        *_systems(before, after),
        *_method(before, after),
        *_blocks(before, after),
    ]
    if changes or before["ranking"] != after["ranking"]:
        changes += _ranking(before, after)
    return changes or [_("Same data and ranking as in the previous version.")]


def _judges(before: PublishedContent, after: PublishedContent) -> Iterator[str]:
    was = [judge["judge"] for judge in before["left_out"]["judges"]]
    now = [judge["judge"] for judge in after["left_out"]["judges"]]
    excluded = _without(now, was)
    if excluded:
        yield _judges_excluded(excluded)
    included = _without(was, now)
    if included:
        yield _judges_included(included)


def _without(names: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return the names that are not among the others."""
    return [name for name in names if name not in others]


def _judges_excluded(names: list[str]) -> str:
    if len(names) > _NAMED:
        return counted(
            "Excludes %(count)s judge.", "Excludes %(count)s judges.", len(names)
        )
    listed = names_in_a_row(names)
    return counted(
        "Excludes judge %(names)s.",
        "Excludes judges %(names)s.",
        len(names),
        names=listed,
    )


def _judges_included(names: list[str]) -> str:
    if len(names) > _NAMED:
        return counted(
            "Includes %(count)s judge again.",
            "Includes %(count)s judges again.",
            len(names),
        )
    listed = names_in_a_row(names)
    return counted(
        "Includes judge %(names)s again.",
        "Includes judges %(names)s again.",
        len(names),
        names=listed,
    )


def _systems(before: PublishedContent, after: PublishedContent) -> Iterator[str]:
    was = [row["system"] for row in before["systems"]]
    now = [row["system"] for row in after["systems"]]
    new = _without(now, was)
    if new:
        yield _("New or renamed: %(systems)s.") % {"systems": names_in_a_row(new)}
    gone = _without(was, now)
    # Systems that became anonymous must not be named here.
    if gone and not _without_name(after).intersection(new):
        yield _("Removed or renamed: %(systems)s.") % {"systems": names_in_a_row(gone)}
    gone_since = _withdrawn(after) - _withdrawn(before)
    if gone_since:
        yield _("Withdrawn: %(systems)s.") % {
            "systems": names_in_a_row(sorted(gone_since))
        }


def _without_name(content: PublishedContent) -> set[str]:
    return {row["system"] for row in content["systems"] if not row["is_named"]}


def _withdrawn(content: PublishedContent) -> set[str]:
    return {row["system"] for row in content["systems"] if row["is_withdrawn"]}


def _method(before: PublishedContent, after: PublishedContent) -> Iterator[str]:
    was = before["method"]
    now = after["method"]
    if was["name"] != now["name"]:
        yield _("Method %(before)s → %(after)s.") % {
            "after": method_name(now["name"]),
            "before": method_name(was["name"]),
        }
    elif _choices(was) != _choices(now):
        yield _("Rank ranges are computed differently.")


def _choices(method: PublishedMethod) -> list[object]:
    """Return the choices that rank ranges follow from."""
    parameters = method["parameters"]
    group = None
    if method["judge_group"]:
        group = method["judge_group"]["name"]
    return [
        parameters.get("resample"),
        parameters.get("ranges"),
        parameters.get("correction"),
        parameters.get("sides"),
        parameters.get("confidence"),
        parameters.get("resamples"),
        group,
    ]


def _blocks(before: PublishedContent, after: PublishedContent) -> Iterator[str]:
    was = before["input"]["blocks"]
    now = after["input"]["blocks"]
    if was != now:
        yield _("Blocks %(before)s → %(after)s.") % {
            "before": number_format(was),
            "after": number_format(now),
        }


def _clusters(content: PublishedContent) -> str:
    count = content["finding"]["clusters"]
    if count is None:
        return "–"
    return number_format(count)


def _ranking(before: PublishedContent, after: PublishedContent) -> Iterator[str]:
    was = {row["system"]: row for row in before["ranking"]["systems"]}
    now = {row["system"]: row for row in after["ranking"]["systems"]}
    common = [name for name in now if name in was]
    if not common:
        return
    is_same = [name for name in was if name in now] == common
    ranges = []
    for name in common:
        range_before = rank_range(was[name])
        range_after = rank_range(now[name])
        if range_before != range_after:
            change = _("%(system)s %(before)s → %(after)s") % {
                "system": system_in_sentence(name),
                "before": range_before,
                "after": range_after,
            }
            ranges.append(change)
    order = _order_in_words(
        is_same=is_same, before=_clusters(before), after=_clusters(after)
    )
    yield with_full_stop(semicolon_list([order, *_some(ranges)]))


def _order_in_words(*, is_same: bool, before: str, after: str) -> str:
    """Return a phrase on the order of the systems in two versions, and on their clusters if those changed."""
    if before == after:
        if is_same:
            return _("Same order")
        return _("Order changed")
    clusters = {"before": before, "after": after}
    if is_same:
        return _("Clusters %(before)s → %(after)s; same order") % clusters
    return _("Clusters %(before)s → %(after)s; order changed") % clusters


def _some(ranges: list[str]) -> list[str]:
    if len(ranges) <= _NAMED:
        return ranges
    more = _("%(count)s more rank ranges changed") % {
        "count": number_format(len(ranges) - _NAMED)
    }
    return [*ranges[:_NAMED], more]


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version, with the changes from the previous one."""

    result: PublishedResult
    content: PublishedContent
    is_shown: bool
    differences: list[str]


def version_lines(
    versions: Sequence[PublishedResult], *, current: PublishedResult | None
) -> list[VersionLine]:
    """Return a line for each version, newest first."""
    lines = []
    for number, version in enumerate(versions, 1):
        changes: list[str] = []
        if number < len(versions):
            changes = differences(versions[number].content, version.content)
        line = VersionLine(
            result=version,
            content=version.content,
            is_shown=current is not None and version.pk == current.pk,
            differences=changes,
        )
        lines.append(line)
    return lines


def newer_version(
    versions: Sequence[PublishedResult], result: PublishedResult
) -> PublishedResult | None:
    """Return the newest version if it is newer than the one shown."""
    if versions and versions[0].version > result.version:
        return versions[0]
    return None


_MOST_NAMED: Final = 5


def worries_in_words(*, task: Task, run: RankingRun) -> list[str]:
    """Return the open issues of a task before its ranking is published. Constant number of queries."""
    changes = PageChanges.objects.filter(task=task)
    open_reports = changes.values_list(
        F("problem_reports") - F("problems_closed"), flat=True
    ).first()
    judges = run.result["input"]["judges"]
    worries = []
    if task.state == CampaignState.OPEN:
        worries.append(_("The test set is still open, so the ranking will change."))
    if ranking_is_due(task_id=task.pk):
        worries.append(_("The ranking is out of date. Reload in a few seconds."))
    if open_reports:
        worries.append(
            counted(
                "%(count)s open problem report.",
                "%(count)s open problem reports.",
                open_reports,
            )
        )
    if judges < MIN_UNITS:
        worries.append(
            counted(
                "Only %(count)s judge: other judges may rank differently.",
                "Only %(count)s judges: other judges may rank differently.",
                judges,
            )
        )
    return worries


def missing_in_words(content: PublishedContent) -> list[str]:
    """Return notes on data that will be missing for readers, or should be."""
    missing = []
    if not content["authors"]:
        missing.append(_("No authors: the citation names the campaign."))
    if not content["contact"]:
        missing.append(_("No contact for readers."))
    if has_ranking(content) and content["agreement"]["inter"]["kappa"] is None:
        missing.append(kappa_missing_in_words(content["agreement"]["inter"]))
    if content["task"]["instructions_version"] is None:
        missing.append(_("No instructions."))
    if has_ranking(content) and content["ranking"]["not_estimable"]:
        names = [row["system"] for row in content["ranking"]["not_estimable"]]
        missing.append(_("Not ranked: %(systems)s.") % {"systems": _names(names)})
    if "predicted_ranking" in content["sections"]:
        predicted = content["sections"]["predicted_ranking"]
        doubt = sample_doubt(predicted)
        if doubt:
            missing.append(labelled(completed_by(predicted["metric"]), doubt))
    return missing


def reasons_in_words(content: PublishedContent) -> list[str]:
    """Return the organisers' texts about judges that will become public."""
    judges: dict[str, list[str]] = {}
    for judge in content["left_out"]["judges"]:
        if judge["rule"] is None and judge["reason"]:
            reason = reason_published(judge)
            judges.setdefault(reason, []).append(judge["judge"])
    sentence = _("Excluded: %(judges)s. This reason is published: “%(reason)s”")
    sentences = []
    for reason, names in judges.items():
        sentences.append(sentence % {"judges": _names(names), "reason": reason})
    return sentences


def named_before(labels: Mapping[str, str], earlier: list[PublishedResult]) -> str:
    """Return a warning if systems have other names in earlier versions; otherwise ""."""
    renamed = set()
    for version in earlier:
        for key, label in labels.items():
            earlier_label = version.labels.get(key, label)
            if earlier_label != label:
                renamed.add(from_to(earlier_label, label))
    if not renamed:
        return ""
    return _(
        "Earlier versions keep their names, so comparing scores can reveal which system is which: %(names)s."
    ) % {"names": _names(sorted(renamed))}


def _names(names: list[Any]) -> str:
    more = len(names) - _MOST_NAMED
    if more <= 0:
        return names_in_a_row(names)
    rest = _("%(count)s more") % {"count": number_format(more)}
    return names_in_a_row([*names[:_MOST_NAMED], rest])


#: The style sheets in templates/base.html and templates/published_results/result.html.
_STYLES: Final = ("base", "scripts", "organiser", "analyses", "published")


class FrozenPage(TypedDict):
    """The content of a page that never changes."""

    page: PublishedPage
    frozen_words: str
    page_url: str
    citation: str


class ResultContent(FrozenPage):
    """The page content of a result, apart from its files."""

    result: PublishedResult
    lines: list[VersionLine]
    newer: PublishedResult | None
    results_url: str


def result_content(
    result: PublishedResult, versions: Sequence[PublishedResult], *, page_url: str
) -> ResultContent:
    """Return the page content of a result.

    Parameters
    ----------
    versions : sequence of PublishedResult
        Versions that the reader may see, newest first.
    page_url : str
        Public address of the page.
    """
    return {
        **_frozen(PublishedFile(result.content, result.digest, page_url)),
        "result": result,
        "lines": version_lines(versions, current=result),
        "newer": newer_version(versions, result),
        "results_url": page_url.removesuffix(f"{result.address}/"),
    }


def result_file(result: PublishedResult) -> PublishedFile:
    """Return the source of the folder's files; their address is known if `PUBLIC_ADDRESS` is set."""
    url = ""
    if settings.PUBLIC_ADDRESS:
        path = reverse("published-result", args=[result.address])
        url = settings.PUBLIC_ADDRESS.rstrip("/") + path
    return PublishedFile(result.content, result.digest, url)


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file of the folder, described on its page."""

    name: str
    words: Promise
    address: str
    url: str = ""


def frozen_page(result: PublishedResult, names: Sequence[str]) -> str:
    """Return the page for a folder with these files, with inline styles and without anything that may change."""
    files = []
    for name in names:
        if name != bundles.INDEX:
            files.append(FolderFile(name, FOLDER[name], address=name))
    folder = settings.BASE_DIR / "static" / "css"
    styles = [(folder / f"{name}.css").read_text("utf-8") for name in _STYLES]
    context = {
        **_frozen(result_file(result)),
        "result": result,
        "files": files,
        "styles": "".join(styles),
    }
    return render_to_string("published_results/frozen.html", context)


def _frozen(written: PublishedFile) -> FrozenPage:
    return {
        "page": published_page(written.content),
        "frozen_words": frozen_in_words(written.content),
        "page_url": written.url,
        "citation": bibtex_file(written),
    }


_COPIED: Final = 1 << 20


def _untold(_done: int, _total: int) -> None:
    """Ignore progress; the default of `progress`."""


def result_bundle_make(
    *, result: PublishedResult, progress: Progress = _untold
) -> PublishedResult:
    """Create and store the bundle of a result now; an existing one is not changed.

    Files are written to a temporary folder; memory use only grows by a few bytes per judgment, for
    Parquet. The same result gives the same bytes.
    """
    if result.bundle_id is not None:
        return result
    with tempfile.TemporaryDirectory(prefix="quintet-bundle-") as name:
        folder = Path(name)
        frozen = frozen_result(result)
        files = _written(frozen, folder, progress)
        zipped = folder / "bundle.zip"
        _zip_write(zipped, folder, files, frozen.content["published_at"])
        with zipped.open("rb") as stream:
            recorded = [dict(file) for file in files]
            return result_bundle_store(
                result=frozen.result, stream=stream, files=recorded
            )


@handles(JobKind.BUNDLE, PublishingRefusedError)
def _make(job: Job, progress: JobProgress) -> dict[str, object]:
    result = PublishedResult.objects.get(pk=job.parameters["bundle"])
    if judging_goes_on(result.task):
        raise PublishingRefusedError(
            _(
                "It is created when judging has ended, because it reveals which system wrote which output."
            )
        )
    made = result_bundle_make(result=result, progress=progress)
    return {"sha256": made.bundle and made.bundle.digest}


@override("en")
def _written(
    frozen: FrozenResult, folder: Path, progress: Progress
) -> list[BundleFile]:
    """Write all files into the folder, in English; return name, bytes and SHA-256 of each in zip order."""
    content = frozen.content
    digest = frozen.result.digest
    for name, written in _of_content(result_file(frozen.result)).items():
        _write(folder / name, written)
    _write(folder / bundles.RUN, canonical(_run(frozen)) + "\n")
    for name, lines in data_files(frozen, progress).items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
    parquet_write(folder / bundles.JUDGMENTS, folder / bundles.PARQUET)
    about = {bundles.INDEX, bundles.README, bundles.METADATA, bundles.CHECKSUMS}
    there = {path.name for path in folder.iterdir()}
    names = [name for name in FOLDER if name in about | there]
    _write(folder / bundles.INDEX, frozen_page(frozen.result, names))
    _write(folder / bundles.README, readme(content, digest, names))
    files = [_described(folder / name) for name in names[:-2]]
    _write(folder / bundles.METADATA, crate(content, digest, files))
    files.append(_described(folder / bundles.METADATA))
    hashes = {file["name"]: file["sha256"] for file in files}
    _write(folder / bundles.CHECKSUMS, bundles.checksums_written(hashes))
    return [*files, _described(folder / bundles.CHECKSUMS)]


def _of_content(file: PublishedFile) -> dict[str, str | bytes]:
    """Return the files that depend only on the content of a result, by name."""
    if has_ranking(file.content):
        files = _of_ranking(file)
    else:
        files = _of_answers(file)
    files["citation.bib"] = bibtex_file(file)
    files["CITATION.cff"] = cff_file(file)
    files[bundles.RESULT] = canonical(file.content)
    return files


def _of_ranking(file: PublishedFile) -> dict[str, str | bytes]:
    files: dict[str, str | bytes] = {
        "ranking.csv": csv_file(file),
        "pairs.csv": pairs_file(file),
    }
    report = published_report(file)
    for ending in ("tex", "typ", "md"):
        files[f"ranking.{ending}"] = write(report, FILES[ending])
    plot = _plot(file.content)
    for ending in PLOT_FILES:
        if ending != "csv":
            files[f"ranking.{ending}"] = plot_file(plot, ending) or b""
    return files


def _of_answers(file: PublishedFile) -> dict[str, str | bytes]:
    """Return the tables of a result without a ranking."""
    report = published_report(file)
    endings = ("csv", "tex", "typ", "md")
    return {f"results.{ending}": write(report, FILES[ending]) for ending in endings}


def _plot(content: PublishedContent) -> Table:
    """Return the table with the plot of rank ranges; if there are several groups, names include the group."""
    rows = content["ranking"]["systems"]
    has_groups = len(grouped(rows)) > 1
    named_rows: list[RankedRow] = []
    ranks = []
    for row in rows:
        name = one_line(row["system"])
        if has_groups:
            name = f"{name} (group {row['group']})"
        phrase = f"{name}: rank {rank_cell(row)}, range {rank_range(row)}"
        if not row.get("shortage"):
            phrase = f"{phrase}, cluster {row['cluster']}"
        named_rows.append({**row, "system": name})
        ranks.append(phrase)
    table = ranks_table(named_rows, name="ranking", method=content["method"]["name"])
    notes = [basis_of(content), *firmness_of(content), f"{semicolon_list(ranks)}."]
    return replace(table, title=f"Rank ranges: {title_of(content)}", notes=notes)


def _write(path: Path, content: str | bytes) -> None:
    if isinstance(content, str):
        content = content.encode()
    path.write_bytes(content)


def _run(frozen: FrozenResult) -> dict[str, object]:
    """Return what a ranking is computed again from."""
    method = frozen.content["method"]
    return {
        "format": 1,
        "result": frozen.result.digest,
        "name": method["name"],
        "parameters": method["parameters"],
        "seed": method["seed"],
        "watermark": method["watermark"],
        "code_version": method["code_version"],
        "content_key_version": method["content_key_version"],
    }


def _described(path: Path) -> BundleFile:
    with path.open("rb") as stream:
        sha256 = file_digest(stream, "sha256").hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": sha256}


def _zip_write(
    zipped: Path, folder: Path, files: Sequence[BundleFile], published_at: str
) -> None:
    """Pack files with the time of publication, so that a zip created again has the same bytes."""
    moment = datetime.fromisoformat(published_at).astimezone(UTC).timetuple()[:6]
    with zipfile.ZipFile(zipped, "w") as archive:
        for file in files:
            entry = zip_entry(file["name"], moment)
            entry.file_size = file["bytes"]
            path = folder / file["name"]
            with path.open("rb") as source, archive.open(entry, "w") as target:
                shutil.copyfileobj(source, target, _COPIED)
