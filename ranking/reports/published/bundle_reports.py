"""What `reproduce` found, as reports."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaign.texts.canonical_json import canonical
from ranking.code_version import code_version
from ranking.files.bundles import ABSENT, Check, Difference, Problem
from ranking.reports.published.report import grouped, title_of
from ranking.reports.tables import Column, Report, Table, Value
from ranking.wording.methods import shortages_of_rows
from ranking.wording.ranges import cluster_rules, rank_cell, rank_range

#: Differences that are listed; JSON has all.
_LISTED: Final = 40


def check_report(check: Check) -> Report:
    """Tell what was changed in a bundle."""
    notes = []
    if check.findings:
        rows = [[each.file, problem_in_words(each.problem)] for each in check.findings]
    else:
        rows = []
        told = ngettext(
            "Bundle intact: %(count)d file matches its checksum.",
            "Bundle intact: %(count)d files match their checksums.",
            check.files,
        )
        notes.append(told % {"count": check.files})
    if check.digest:
        notes.append(_("SHA-256 of the result: %(digest)s") % {"digest": check.digest})
        notes.append(
            _("Its address ends in %(address)s. Compare it with the cited address.")
            % {"address": check.digest[:16]}
        )
    table = Table(
        name="findings",
        title=_("Changes"),
        columns=(Column("file", _("File"), is_text=True), Column("what", _("What"), is_text=True)),
        rows=rows,
    )
    return Report(
        notes=notes,
        tables=[table] if rows else [],
        data={
            "is_unchanged": not check.findings,
            "files": check.files,
            "digest": check.digest or None,
            "findings": [
                {"file": each.file, "problem": each.problem.value} for each in check.findings
            ],
        },
    )


def problem_in_words(problem: Problem) -> str:
    """Return what is wrong with a file."""
    return {
        Problem.CHANGED: _("changed"),
        Problem.MISSING: _("is missing"),
        Problem.ADDED: _("added"),
        Problem.UNREADABLE: _("unreadable"),
        Problem.OTHER_RESULT: _("result does not match the other files"),
        Problem.OTHER_ADDRESS: _("result does not match this address"),
    }[problem]


def reproduction_report(
    content: Mapping[str, Any],
    differences: Sequence[Difference],
    not_compared: Sequence[str],
    *,
    last_digits: int = 0,
) -> Report:
    """Tell whether a result computed again is the published one, and show its table.

    `last_digits` is how many numbers have other last digits, as of another kind of processor.
    """
    made, own = content["method"]["code_version"], code_version()
    versions = (
        _("Recomputed with Quintet %(own)s, the version that published it.") % {"own": own}
        if made == own
        else _("Recomputed with Quintet %(own)s; published with %(made)s.")
        % {"own": own, "made": made}
    )
    if differences:
        said = ngettext(
            "%(count)d value differs from the published result.",
            "%(count)d values differ from the published result.",
            len(differences),
        ) % {"count": len(differences)}
    elif last_digits:
        said = ngettext(
            "Scores, ranges, clusters, pairs and agreement match the published result, except for the last "
            "digits of %(count)d number (these depend on the processor).",
            "Scores, ranges, clusters, pairs and agreement match the published result, except for the last "
            "digits of %(count)d numbers (these depend on the processor).",
            last_digits,
        ) % {"count": last_digits}
    else:
        said = _(
            "Scores, ranges, clusters, pairs and agreement match the published result bit for bit."
        )
    left_out = (
        [_("Not compared: %(parts)s.") % {"parts": ", ".join(not_compared)}] if not_compared else []
    )
    notes = [said, *left_out, versions]
    return Report(
        notes=notes,
        tables=[
            *([_difference_table(differences)] if differences else []),
            *(_tables(content) if _is_a_table(content) else []),
        ],
        data={
            "is_same": not differences,
            "last_digits": last_digits,
            "made_by": made,
            "version": own,
            "ranking": content["ranking"],
            "differences": [each.plain() for each in differences],
            "not_compared": list(not_compared),
        },
    )


def _difference_table(differences: Sequence[Difference]) -> Table:
    more = len(differences) - _LISTED
    return Table(
        name="differences",
        title=_("Differences"),
        columns=(
            Column("where", _("Where"), is_text=True),
            Column("published", _("Published"), is_text=True),
            Column("computed", _("Computed"), is_text=True),
        ),
        rows=[
            [each.where, _shown(each.published), _shown(each.computed)]
            for each in differences[:_LISTED]
        ],
        notes=[_("%(count)d more: use --format json to list all.") % {"count": more}]
        if more > 0
        else [],
    )


def _shown(value: Any) -> str:
    """Return a value with all its digits."""
    if value is ABSENT:
        return _("is missing")
    return value if isinstance(value, str) else canonical(value)


def _is_a_table(content: Mapping[str, Any]) -> bool:
    """Return whether each system has what the table shows; what a file lacks is among the differences."""
    numbers = ("cluster", "rank", "score", "rank_low", "rank_high")
    return all(
        isinstance(row.get(name), int | float)
        or (name in row and row[name] is None and (name == "score" or bool(row.get("shortage"))))
        for row in content["ranking"]["systems"]
        for name in numbers
    )


def _tables(content: Mapping[str, Any]) -> list[Table]:
    """Return a table for each group of systems that comparisons connect."""
    groups = grouped(content["ranking"]["systems"])
    title = _("Published: %(title)s") % {"title": title_of(content)}
    if len(groups) < 2:
        return [_table("ranking", title, rows) for rows in groups.values()]
    return [
        _table(
            f"ranking_group_{number}",
            _("%(test_set)s, group %(number)s of %(count)s")
            % {"test_set": title, "number": number, "count": len(groups)},
            rows,
        )
        for number, rows in groups.items()
    ]


def _table(name: str, title: str, systems: Sequence[Mapping[str, Any]]) -> Table:
    rows: list[list[Value]] = [
        [
            None if row.get("shortage") else str(row["cluster"]),
            rank_cell(row),
            row["system"],
            None if row["score"] is None else float(row["score"]),
            rank_range(row),
        ]
        for row in systems
    ]
    return Table(
        name=name,
        title=title,
        columns=(
            Column("cluster", _("Cluster"), is_text=True),
            Column("rank", _("Rank")),
            Column("system", _("System"), is_text=True),
            Column("score", _("Score")),
            Column("rank_range", _("Rank range"), is_text=True),
        ),
        rows=rows,
        notes=shortages_of_rows(systems),
        rules=cluster_rules(systems),
    )
