"""Published results: the page, changes between versions, open issues before the next one, and the frozen folder."""

import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.db.models import F
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.formats import date_format, number_format
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
from ranking.pages.formats import rank_plots
from ranking.pages.judge_measures import breach_in_words, rule_in_words
from ranking.pages.report_shown import PLOT_FILES, plot_file, shown_tables
from ranking.pages.summary import names_in_a_row, summarise_run, summary_without_order
from ranking.reports.analyses.pairs import pairs_matrix, shares_in_words
from ranking.reports.analyses.ranking import ranks_table
from ranking.reports.analyses.registry import ANALYSES
from ranking.reports.predicted_ranking import completed_by, sample_doubt
from ranking.reports.published_results import (
    FOLDER,
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


def left_out_lines(content: PublishedContent) -> list[dict[str, Any]]:
    """Return lines for data excluded from the ranking, with blocks, reason, author and time."""
    left_out = content["left_out"]
    by_design = (
        _("Rehearsals and control blocks"),
        None,
        _("Never part of a result."),
        _("by design"),
    )
    lines = [
        *map(_judge, left_out["judges"]),
        *_group(content),
        *_of_kind(
            left_out["references"],
            _("Reference"),
            _("Written by a person, not ranked."),
        ),
        *_of_kind(
            left_out["damaged_references"],
            _("Damaged reference"),
            _("Attention check, not ranked."),
        ),
        by_design,
    ]
    return [
        dict(zip(("what", "blocks", "why", "decided"), line, strict=True))
        for line in lines
    ]


#: Excluded data with blocks, reason, author and time.
_Line = tuple[str, int | None, str, str]


def _judge(judge: ExcludedJudge) -> _Line:
    what = _("Judge %(name)s") % {"name": judge["judge"]}
    return what, judge["blocks"], _why(judge), _decided(judge)


def _why(judge: ExcludedJudge) -> str:
    if judge["rule"] is not None:
        evidence = breach_in_words(judge["evidence"] or {})
        rule = rule_in_words(QualityRule(**judge["rule"]))
        return sentence_list(with_full_stop(text) for text in (evidence, rule) if text)
    return reason_published(judge) or _("No reason given.")


def _decided(judge: ExcludedJudge) -> str:
    if judge["decided_by"] is None or judge["decided_on"] is None:
        return "–"
    day = date_format(date.fromisoformat(judge["decided_on"]), "DATE_FORMAT")
    if judge["decided_by"] == "rule":
        return _("%(day)s, by a rule") % {"day": day}
    return _("%(day)s, by an organiser") % {"day": day}


def _group(content: PublishedContent) -> list[_Line]:
    group = content["method"]["judge_group"]
    if group is None or not group["judges_outside"]:
        return []
    what = counted("%(count)s judge", "%(count)s judges", group["judges_outside"])
    why = _("Not in the group “%(name)s”; only its judgments count.") % {
        "name": group["name"]
    }
    return [(what, None, why, _("by the settings"))]


def _of_kind(names: list[str], what: str, why: str) -> list[_Line]:
    return [
        (labelled(what, shown) if shown in names else shown, None, why, _("by design"))
        for shown in map(system_label, names)
    ]


def pairs_table(content: PublishedContent) -> Table:
    """Return the pairs in the order of ranks, drawn as a matrix."""
    level = RangeOptions.from_record(content["method"]["parameters"]).level
    # Results of older versions mark the tests of scores.
    is_own = has_own_tests(content)
    if is_own:
        limits = content["ranking"]["own_limits"]
        caption = own_tests_in_words("two_way", Correction.HOLM, level, limits=limits)
    else:
        caption = pair_sentences(content)
    return pairs_matrix(
        map(_with_shares, content["ranking"]["pairs"]),
        Column("better", _("Better"), is_text=True, names="system"),
        Column("worse", _("Worse"), is_text=True, names="other"),
        p="own_p" if is_own else "p",
        corrected="own_adjusted_p" if is_own else "adjusted_p",
        level=level,
        notes=[*caption, *shares_in_words(level)],
    )


def _with_shares(pair: PublishedPair) -> dict[str, Any]:
    decided = pair["wins"] + pair["losses"]
    return {
        **pair,
        **{name: system_label(pair[name]) for name in ("better", "worse")},
        "comparisons": decided,
        "share": pair["wins"] / decided if decided else None,
        "other_share": pair["losses"] / decided if decided else None,
        "mark": mark_of(marked_p(pair)),
    }


def published_page(content: PublishedContent) -> dict[str, Any]:
    """Return the content of a result as shown: numbers in words, tables and plots."""
    ranking = content["ranking"]
    test_set = content["test_set"]
    sections = content["sections"]
    return {
        "content": content,
        "summary": _summary(content),
        "has_ranking": has_ranking(content),
        "answers": shown_tables(Report(tables=answer_tables(content), data={})),
        "languages": language_pair_name(
            test_set["source_language"], test_set["target_language"]
        ),
        "firmness": firmness_in_words(sections["firmness"])
        if "firmness" in sections
        else [],
        "plots": rank_plots(
            ranking["systems"], has_unranked=bool(ranking["not_estimable"])
        ),
        "withdrawn": {
            each["system"] for each in content["systems"] if each["is_withdrawn"]
        },
        "not_estimable": unranked_in_words(ranking),
        "told_apart_by": pair_sentences(content),
        "pairs": shown_tables(Report(tables=[pairs_table(content)], data={})),
        **kappa_in_words(content["agreement"]),
        "strength_caution": strength_caution(),
        "self_agreement": _self_agreement(content),
        "metrics": shown_tables(Report(tables=metric_tables(content), data={})),
        "method": method_sentences(content),
        "left_out": left_out_lines(content),
        "has_teams": any(
            row["team"] or not row["is_named"] for row in content["systems"]
        ),
        "has_constraints": any(
            row["constrained"] is not None for row in content["systems"]
        ),
        **{name: _day(content["input"][name]) for name in ("first_day", "last_day")},
    }


def _summary(content: PublishedContent) -> dict[str, Any]:
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
    return _(
        "Version %(version)s, published %(day)s. This page never changes: corrections are published as "
        "new versions."
    ) % {
        "version": content["version"],
        "day": date_format(
            datetime.fromisoformat(content["published_at"]), "DATE_FORMAT"
        ),
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
    found = [
        *_judges(before, after),
        *_systems(before, after),
        *_method(before, after),
        *_blocks(before, after),
    ]
    if found or before["ranking"] != after["ranking"]:
        found += _ranking(before, after)
    return found or [_("Same data and ranking as in the previous version.")]


def _judges(before: PublishedContent, after: PublishedContent) -> Iterator[str]:
    was, now = (
        [each["judge"] for each in content["left_out"]["judges"]]
        for content in (before, after)
    )
    if gone := [name for name in now if name not in was]:
        yield _judges_excluded(gone)
    if back := [name for name in was if name not in now]:
        yield _judges_included(back)


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
    was, now = (
        [each["system"] for each in content["systems"]] for content in (before, after)
    )
    new = [name for name in now if name not in was]
    if new:
        yield _("New or renamed: %(systems)s.") % {"systems": names_in_a_row(new)}
    gone = [name for name in was if name not in now]
    # Systems that became anonymous must not be named here.
    if gone and not _without_name(after).intersection(new):
        yield _("Removed or renamed: %(systems)s.") % {"systems": names_in_a_row(gone)}
    gone_since = _withdrawn(after) - _withdrawn(before)
    if gone_since:
        yield _("Withdrawn: %(systems)s.") % {
            "systems": names_in_a_row(sorted(gone_since))
        }


def _without_name(content: PublishedContent) -> set[str]:
    return {each["system"] for each in content["systems"] if not each["is_named"]}


def _withdrawn(content: PublishedContent) -> set[str]:
    return {each["system"] for each in content["systems"] if each["is_withdrawn"]}


def _method(before: PublishedContent, after: PublishedContent) -> Iterator[str]:
    was = before["method"]
    now = after["method"]
    if was["name"] != now["name"]:
        yield _("Method %(before)s → %(after)s.") % {
            "after": method_name(now["name"]),
            "before": method_name(was["name"]),
        }
    elif _choice(was) != _choice(now):
        yield _("Rank ranges are computed differently.")


def _choice(method: PublishedMethod) -> dict[str, Any]:
    names = ("resample", "ranges", "correction", "sides", "confidence", "resamples")
    return {name: method["parameters"].get(name) for name in names} | {
        "group": method["judge_group"] and method["judge_group"]["name"]
    }


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
    ranges = [
        _("%(system)s %(before)s → %(after)s")
        % {
            "system": system_in_sentence(name),
            "before": rank_range(was[name]),
            "after": rank_range(now[name]),
        }
        for name in common
        if rank_range(was[name]) != rank_range(now[name])
    ]
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


def version_lines(
    versions: Sequence[PublishedResult], *, shown: PublishedResult | None
) -> list[dict[str, Any]]:
    """Return a line for each version, newest first, with the changes from the previous one."""
    before: Sequence[PublishedResult | None] = [*versions[1:], None]
    return [
        {
            "result": each,
            "content": each.content,
            "is_shown": shown is not None and each.pk == shown.pk,
            "differences": []
            if earlier is None
            else differences(earlier.content, each.content),
        }
        for each, earlier in zip(versions, before, strict=False)
    ]


def newer_version(
    versions: Sequence[PublishedResult], shown: PublishedResult
) -> PublishedResult | None:
    """Return the newest version if it is newer than the one shown."""
    newest = versions[0] if versions else shown
    if newest.version > shown.version:
        return newest
    return None


_MOST_NAMED: Final = 5


def worries_in_words(*, task: Task, run: RankingRun) -> list[str]:
    """Return the open issues of a task before its ranking is published. Constant number of queries."""
    changes = PageChanges.objects.filter(task=task)
    open_reports = changes.values_list(
        F("problem_reports") - F("problems_closed"), flat=True
    ).first()
    people = run.result["input"]["judges"]
    said = []
    if task.state == CampaignState.OPEN:
        said.append(_("The test set is still open, so the ranking will change."))
    if ranking_is_due(task_id=task.pk):
        said.append(_("The ranking is out of date. Reload in a few seconds."))
    if open_reports:
        said.append(
            counted(
                "%(count)s open problem report.",
                "%(count)s open problem reports.",
                open_reports,
            )
        )
    if people < MIN_UNITS:
        said.append(
            counted(
                "Only %(count)s judge: other judges may rank differently.",
                "Only %(count)s judges: other judges may rank differently.",
                people,
            )
        )
    return said


def missing_in_words(content: PublishedContent) -> list[str]:
    """Return notes on data that will be missing for readers, or should be."""
    said = []
    if not content["authors"]:
        said.append(_("No authors: the citation names the campaign."))
    if not content["contact"]:
        said.append(_("No contact for readers."))
    if has_ranking(content) and content["agreement"]["inter"]["kappa"] is None:
        said.append(kappa_missing_in_words(content["agreement"]["inter"]))
    if content["task"]["instructions_version"] is None:
        said.append(_("No instructions."))
    if has_ranking(content) and content["ranking"]["not_estimable"]:
        names = [row["system"] for row in content["ranking"]["not_estimable"]]
        said.append(_("Not ranked: %(systems)s.") % {"systems": _names(names)})
    if "predicted_ranking" in content["sections"]:
        predicted = content["sections"]["predicted_ranking"]
        if doubt := sample_doubt(predicted):
            said.append(labelled(completed_by(predicted["metric"]), doubt))
    return said


def reasons_in_words(content: PublishedContent) -> list[str]:
    """Return the organisers' texts about judges that will become public."""
    judges: dict[str, list[str]] = {}
    for each in content["left_out"]["judges"]:
        if each["rule"] is None and each["reason"]:
            judges.setdefault(reason_published(each), []).append(each["judge"])
    return [
        _("Excluded: %(judges)s. This reason is published: “%(reason)s”")
        % {"judges": _names(names), "reason": reason}
        for reason, names in judges.items()
    ]


def named_before(labels: Mapping[str, str], earlier: list[PublishedResult]) -> str:
    """Return a warning if systems have other names in earlier versions; otherwise ""."""
    others = sorted(
        {
            from_to(each.labels[key], label)
            for each in earlier
            for key, label in labels.items()
            if each.labels.get(key, label) != label
        }
    )
    if not others:
        return ""
    return _(
        "Earlier versions keep their names, so comparing scores can reveal which system is which: %(names)s."
    ) % {"names": _names(others)}


def _names(names: list[Any]) -> str:
    more = len(names) - _MOST_NAMED
    if more <= 0:
        return names_in_a_row(names)
    rest = _("%(count)s more") % {"count": number_format(more)}
    return names_in_a_row([*names[:_MOST_NAMED], rest])


#: The style sheets in templates/base.html and templates/published_results/result.html.
_STYLES: Final = ("base", "scripts", "organiser", "analyses", "published")


def result_shown(
    result: PublishedResult, versions: Sequence[PublishedResult], *, page_url: str
) -> dict[str, Any]:
    """Return the page content of a result, apart from its files.

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
        "lines": version_lines(versions, shown=result),
        "newer": newer_version(versions, result),
        "results_url": page_url.removesuffix(f"{result.address}/"),
    }


def result_file(result: PublishedResult) -> PublishedFile:
    """Return the source of the folder's files; their address is known if `PUBLIC_ADDRESS` is set."""
    place = reverse("published-result", args=[result.address])
    public = settings.PUBLIC_ADDRESS.rstrip("/")
    return PublishedFile(
        result.content, result.digest, f"{public}{place}" if public else ""
    )


def frozen_page(result: PublishedResult, names: Sequence[str]) -> str:
    """Return the page for a folder with these files, with inline styles and without anything that may change."""
    folder = settings.BASE_DIR / "static" / "css"
    context = {
        **_frozen(result_file(result)),
        "result": result,
        "files": [
            {"name": name, "words": FOLDER[name], "address": name, "url": ""}
            for name in names
            if name != bundles.INDEX
        ],
        "styles": "".join(
            (folder / f"{name}.css").read_text("utf-8") for name in _STYLES
        ),
    }
    return render_to_string("published_results/frozen.html", context)


def _frozen(written: PublishedFile) -> dict[str, Any]:
    return {
        "page": published_page(written.content),
        "frozen_words": frozen_in_words(written.content),
        "page_url": written.url,
        "citation": bibtex_file(written),
    }


_COPIED: Final = 1 << 20
_RUN_FIELDS: Final = (
    "name",
    "parameters",
    "seed",
    "watermark",
    "code_version",
    "content_key_version",
)


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
            return result_bundle_store(result=frozen.result, stream=stream, files=files)


@handles(JobKind.BUNDLE, PublishingRefusedError)
def _make(job: Job, progress: JobProgress) -> dict[str, Any]:
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
) -> list[dict[str, Any]]:
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
    names = [name for name in FOLDER if name in about or (folder / name).exists()]
    _write(folder / bundles.INDEX, frozen_page(frozen.result, names))
    _write(folder / bundles.README, readme(content, digest, names))
    files = [_found(folder / name) for name in names[:-2]]
    _write(folder / bundles.METADATA, crate(content, digest, files))
    files.append(_found(folder / bundles.METADATA))
    hashes = {file["name"]: file["sha256"] for file in files}
    _write(folder / bundles.CHECKSUMS, bundles.checksums_written(hashes))
    return [*files, _found(folder / bundles.CHECKSUMS)]


def _of_content(file: PublishedFile) -> dict[str, str | bytes]:
    """Return the files that depend only on the content of a result, by name."""
    return {
        **(_of_ranking(file) if has_ranking(file.content) else _of_answers(file)),
        "citation.bib": bibtex_file(file),
        "CITATION.cff": cff_file(file),
        bundles.RESULT: canonical(file.content),
    }


def _of_ranking(file: PublishedFile) -> dict[str, str | bytes]:
    report = published_report(file)
    plot = _plot(file.content)
    return {
        "ranking.csv": csv_file(file),
        "pairs.csv": pairs_file(file),
        **{
            f"ranking.{ending}": write(report, FILES[ending])
            for ending in ("tex", "typ", "md")
        },
        **{
            f"ranking.{ending}": plot_file(plot, ending) or b""
            for ending in PLOT_FILES
            if ending != "csv"
        },
    }


def _of_answers(file: PublishedFile) -> dict[str, str | bytes]:
    """Return the tables of a result without a ranking."""
    report = published_report(file)
    endings = ("csv", "tex", "typ", "md")
    return {f"results.{ending}": write(report, FILES[ending]) for ending in endings}


def _plot(content: PublishedContent) -> Table:
    """Return the table with the plot of rank ranges; if there are several groups, names include the group."""
    rows = content["ranking"]["systems"]
    several = len(grouped(rows)) > 1
    names = []
    for row in rows:
        names.append(
            one_line(row["system"]) + (f" (group {row['group']})" if several else "")
        )
    ranks = semicolon_list(
        f"{name}: rank {rank_cell(row)}, range {rank_range(row)}"
        + ("" if row.get("shortage") else f", cluster {row['cluster']}")
        for name, row in zip(names, rows, strict=True)
    )
    shown: list[RankedRow] = [
        {**row, "system": name} for name, row in zip(names, rows, strict=True)
    ]
    table = ranks_table(shown, name="ranking", method=content["method"]["name"])
    title = f"Rank ranges: {title_of(content)}"
    return replace(
        table,
        title=title,
        notes=[basis_of(content), *firmness_of(content), f"{ranks}."],
    )


def _write(path: Path, content: str | bytes) -> None:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def _run(frozen: FrozenResult) -> dict[str, Any]:
    method = frozen.content["method"]
    return {
        "format": 1,
        "result": frozen.result.digest,
        **{name: method[name] for name in _RUN_FIELDS},
    }


def _found(path: Path) -> dict[str, Any]:
    with path.open("rb") as stream:
        sha256 = file_digest(stream, "sha256").hexdigest()
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": sha256}


def _zip_write(
    path: Path, folder: Path, files: Sequence[Mapping[str, Any]], published_at: str
) -> None:
    """Pack files with the time of publication, so that a zip created again has the same bytes."""
    moment = datetime.fromisoformat(published_at).astimezone(UTC).timetuple()[:6]
    with zipfile.ZipFile(path, "w") as archive:
        for file in files:
            entry = zip_entry(file["name"], moment)
            entry.file_size = file["bytes"]
            with (
                (folder / file["name"]).open("rb") as source,
                archive.open(entry, "w") as target,
            ):
                shutil.copyfileobj(source, target, _COPIED)
