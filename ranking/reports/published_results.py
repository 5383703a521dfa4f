"""Tables of a published result, and the files of its frozen folder, which are always in English.

docs/publishing.md has the same list of files; `tests/integration/publishing/test_folder.py` compares them.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from campaign.export.downloads import media_type
from campaign.formats.yaml_tree import yaml_bytes
from ranking.core.rankings.rank import only_estimable
from ranking.core.rankings.records import RankedRow, UnrankedRow
from ranking.core.scores import NotEstimable
from ranking.files import bundles
from ranking.reports.correlations import interval_columns
from ranking.reports.metric_agreement import agreement_tables
from ranking.reports.predicted_ranking import completed_by, predicted_notes
from ranking.reports.stored import report_in
from ranking.reports.tables import Column, Report, Table, Value
from ranking.reports.wording.methods import METHOD_WORDS, shortages_of_rows
from ranking.reports.wording.pair_tests import CORRECTION_WORDS, MARKS, mark_of
from ranking.reports.wording.published_content import (
    PublishedContent,
    PublishedKappa,
    PublishedPair,
    PublishedSystem,
)
from ranking.reports.wording.published_method import (
    firmness_in_words,
    has_ranking,
    method_sentences,
)
from ranking.reports.wording.ranges import cluster_rules, rank_cell, rank_range
from ranking.reports.writing import ReportFormat, escaped_latex, write

_COLUMNS: Final = (
    Column("cluster", "Cluster", is_text=True),
    Column("rank", "Rank"),
    Column("system", "System", is_text=True),
    Column("score", "Score"),
    Column("rank_range", "Rank range"),
    Column("wins", "Won"),
    Column("losses", "Lost"),
    Column("ties", "Tied"),
)


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """Source of a result's files: content, digest, and the address of its page."""

    content: PublishedContent
    digest: str
    url: str


def published_report(file: PublishedFile) -> Report:
    """Return a report with the tables of systems, pairs, metrics and answers."""
    content = file.content
    tables = [*metric_tables(content), *answer_tables(content)]
    if has_ranking(content):
        tables = [*_tables_of_ranking(content), *_pair_tables(content), *tables]
    notes = [
        f"{content['campaign']['name']}, {content['test_set']['name']}",
        f"Version {content['version']}, published {content['published_at'][:10]}",
        file.url,
        f"SHA-256 of its content: {file.digest}",
    ]
    return Report(
        tables=tables, data={}, notes=[one_line(note) for note in notes if note]
    )


def answer_tables(content: PublishedContent) -> list[Table]:
    """Return the tables of the protocol's own analysis in the current language; none in older results."""
    answers = content["sections"].get("answers")
    if answers is None:
        return []
    report = report_in(answers["reports"], get_language() or settings.LANGUAGE_CODE)
    return [replace(table, name=f"answers_{table.name}") for table in report.tables]


def _tables_of_ranking(content: PublishedContent) -> list[Table]:
    """Return `ranking_tables` with notes on the judgments behind them."""
    *tables, last = ranking_tables(content)
    about = [
        basis_of(content),
        *_went_in(content),
        *_agreement(content),
        *firmness_of(content),
    ]
    return [*tables, replace(last, notes=[*last.notes, *about])]


def ranking_tables(content: PublishedContent) -> list[Table]:
    """Return a table for each group of connected systems; the last one includes systems without a rank."""
    groups = grouped(content["ranking"]["systems"])
    unranked = content["ranking"]["not_estimable"]
    several = len(groups) > 1
    tables = []
    for number, rows in groups.items():
        tables.append(
            _table(content, rows, number if several else 0, () if several else unranked)
        )
    if several and unranked:
        tables.append(replace(_table(content, [], 0, unranked), name="ranking_none"))
    return tables


def grouped(rows: Sequence[RankedRow]) -> dict[int, list[RankedRow]]:
    """Return ranked systems by the number of their group; one empty group if there are none."""
    found: dict[int, list[RankedRow]] = {}
    for row in rows:
        found.setdefault(row["group"], []).append(row)
    return found or {1: []}


def _table(
    content: PublishedContent,
    rows: Sequence[RankedRow],
    group: int,
    unranked: Sequence[UnrankedRow],
) -> Table:
    """Return a table of systems; `group` is its number if there are several."""
    return Table.of(
        [
            *(_shown_rank(content, row) for row in rows),
            *(_shown(content, row) for row in unranked),
        ],
        name=f"ranking_group_{group}" if group else "ranking",
        title=f"{title_of(content)}, group {group}: not compared with other groups"
        if group
        else title_of(content),
        columns=_COLUMNS,
        notes=shortages_of_rows(rows),
        rules=cluster_rules(rows),
    )


def title_of(content: PublishedContent) -> str:
    """Return "Autumn 2026, newstest2026 (cs–en)"."""
    test_set = content["test_set"]
    languages = f"{test_set['source_language']}–{test_set['target_language']}"
    return one_line(f"{content['campaign']['name']}, {test_set['name']} ({languages})")


def basis_of(content: PublishedContent) -> str:
    """Return one or two sentences on the data behind the table."""
    parameters = content["method"]["parameters"]
    method = METHOD_WORDS.get(content["method"]["name"], content["method"]["name"])
    counted = content["input"]
    if not has_ranking(content):
        return f"{counted['blocks']:,} blocks by {counted['judges']:,} judges."
    return (
        f"{counted['comparisons']:,} comparisons in {counted['blocks']:,} blocks by "
        f"{counted['judges']:,} judges. Score: {method}. Rank ranges at "
        f"{100 * parameters['confidence']:g}%. Lines separate clusters."
    )


def firmness_of(content: PublishedContent) -> list[str]:
    """Return sentences on the judgments that decide first place; none if not computed."""
    section = content["sections"].get("firmness")
    if section is None:
        return []
    return list(map(one_line, firmness_in_words(section)))


def one_line(text: str) -> str:
    """Return a text without line breaks, which would end a comment."""
    return re.sub(r"\s+", " ", text).strip()


def name_of(content: PublishedContent, system: str) -> str:
    """Return a system's name in tables, marked if it was withdrawn."""
    withdrawn = {each["system"] for each in content["systems"] if each["is_withdrawn"]}
    if system in withdrawn:
        return f"{one_line(system)} (withdrawn)"
    return one_line(system)


def _went_in(content: PublishedContent) -> list[str]:
    """Return a sentence on the amount and dates of judgments."""
    counted = content["input"]
    first = counted["first_day"]
    last = counted["last_day"]
    counts = f"Sentences: {counted['segments']:,}, documents: {counted['documents']:,}"
    if first is None:
        return [f"{counts}."]
    if first == last:
        days = f"on {first}"
    else:
        days = f"from {first} to {last}"
    return [f"{counts}, judged {days} (UTC)."]


def _agreement(content: PublishedContent) -> list[str]:
    """Return sentences on agreement between judges; none if it is unknown."""
    agreement = content["agreement"]
    inter = agreement["inter"]
    own = content["sections"].get("self_agreement")
    confidence = agreement["confidence"]
    if own is None:
        said = []
    else:
        said = [f"κ within judges: {_kappa(own, confidence)}."]
    if inter["kappa"] is None:
        return [*_no_kappa(inter), *said]
    return [f"κ between judges: {_kappa(inter, confidence)}.", *said]


def _no_kappa(found: PublishedKappa) -> list[str]:
    """Return why κ between judges is not given although it can be computed."""
    reason = found.get("reason")
    if reason == NotEstimable.NO_INTERVAL:
        return ["κ between judges is not given: it has no interval."]
    if reason == NotEstimable.INTERVAL_TOO_WIDE:
        ends = f"{found['low']:.2f} to {found['high']:.2f}"
        return [f"κ between judges is not given: its interval, {ends}, is too wide."]
    return []


def _kappa(found: PublishedKappa, confidence: float) -> str:
    """Return κ with its interval; older published results have none for judges with themselves."""
    low = found.get("low")
    high = found.get("high")
    if low is None or high is None:
        return f"{found['kappa']:.2f}"
    return f"{found['kappa']:.2f} ({low:.2f} to {high:.2f} at {100 * confidence:g}%)"


def _shown(
    content: PublishedContent, row: RankedRow | UnrankedRow
) -> Mapping[str, Value]:
    """Return the row of a system without a rank: only its ties."""
    return {
        **dict.fromkeys(column.key for column in _COLUMNS),
        "system": name_of(content, row["system"]),
        "ties": row["ties"],
    }


def _shown_rank(content: PublishedContent, row: RankedRow) -> Mapping[str, Value]:
    """Return the row of a ranked system."""
    return {
        **_shown(content, row),
        "wins": row["wins"],
        "losses": row["losses"],
        "rank": rank_cell(row),
        "rank_range": rank_range(row),
        "cluster": None if row.get("shortage") else str(row["cluster"]),
        "score": None if row["score"] is None else float(row["score"]),
    }


_PAIR_COLUMNS: Final = ("better", "worse", "wins", "losses", "ties", "p", "adjusted_p")
#: Results of older versions lack them.
_OWN_TESTS: Final = ("own_p", "own_adjusted_p")

Against = Callable[[str, str], tuple[int, int, float | None] | None]


def metric_tables(content: PublishedContent) -> list[Table]:
    """Return the tables of metrics that were included: their agreement with judges, and the ranking completed by one."""
    sections = content["sections"]
    tables = []
    if "metrics" in sections:
        agreement = agreement_tables(
            sections["metrics"], sections["metrics"]["confidence"]
        )
        tables = [
            replace(each, name=f"metrics_{each.name}", plot=None) for each in agreement
        ]
    if "predicted_ranking" in sections:
        tables.append(_predicted_table(content, sections["predicted_ranking"]))
    return tables


def _predicted_table(content: PublishedContent, predicted: Mapping[str, Any]) -> Table:
    """Return the published ranks by people alone, and those completed by a metric or a machine judge."""
    completed = {row["system"]: row for row in predicted["systems"]}
    rows = []
    for people in content["ranking"]["systems"]:
        row = completed.get(people["system"])
        if row is not None:
            ranges = {"people_range": rank_range(people), "rank_range": rank_range(row)}
            name = name_of(content, row["system"])
            rows.append(
                {**row, **ranges, "system": name, "people_rank": rank_cell(people)}
            )
    return Table.of(
        rows,
        name="predicted_ranking",
        title=completed_by(predicted["metric"]),
        columns=(
            Column("system", gettext("System"), is_text=True),
            Column("people_rank", gettext("Human rank")),
            Column("people_range", gettext("Rank range")),
            Column("rank", gettext("Rank")),
            Column("rank_range", gettext("Rank range")),
            *interval_columns("score", gettext("Score"), predicted["confidence"]),
        ),
        notes=predicted_notes(predicted, content["ranking"]["input"]),
    )


def _pair_tables(content: PublishedContent) -> list[Table]:
    """Return the matrix of pairs as a table; none for a single system."""
    pairs = content["ranking"]["pairs"]
    if not pairs:
        return []
    names = [row["system"] for row in content["ranking"]["systems"]]
    against = pairs_against(content)
    marks = ", ".join(f"{mark} up to {most:.2f}" for most, mark in reversed(MARKS))
    table = Table(
        name="pairs",
        title="Share of decided comparisons in which the row beats the column, in %",
        columns=(
            Column("system", "System", is_text=True),
            *(
                Column(f"against_{at}", one_line(name))
                for at, name in enumerate(names, 1)
            ),
        ),
        rows=[
            [
                name_of(content, row),
                *(
                    None if row == column else _cell(against(row, column))
                    for column in names
                ),
            ]
            for row in names
        ],
        notes=[f"{own_tests_caption(content)} Marks: {marks}."],
    )
    return [table]


def pairs_against(content: PublishedContent) -> Against:
    """Return the figures of one system against another: comparisons won, decided comparisons, corrected p-value.

    The p-value is of the pair's own comparisons, or of the difference of scores if there is no other.
    None if no comparison of the two is decided.
    """
    pairs = {
        (pair["better"], pair["worse"]): pair for pair in content["ranking"]["pairs"]
    }

    def against(system: str, other: str) -> tuple[int, int, float | None] | None:
        pair = pairs.get((system, other)) or pairs.get((other, system))
        if pair is None or not pair["wins"] + pair["losses"]:
            return None
        if pair["better"] == system:
            won = pair["wins"]
        else:
            won = pair["losses"]
        return won, pair["wins"] + pair["losses"], marked_p(pair)

    return against


def has_own_tests(content: PublishedContent) -> bool:
    """Return whether a result has tests of the pairs' own comparisons; those of older versions have none."""
    return all("own_p" in pair for pair in content["ranking"]["pairs"])


def marked_p(pair: PublishedPair) -> float | None:
    """Return the corrected p-value that is marked beside the shares of a pair."""
    p: float | None = pair.get("own_adjusted_p", pair["adjusted_p"])
    return p


def own_tests_caption(content: PublishedContent) -> str:
    """Return the test of the marked p-values."""
    if has_own_tests(content):
        if content["ranking"]["own_limits"]:
            few = " where there are enough"
        else:
            few = ""
        return f"Two-sided tests of the pair's own comparisons, accounting for segments and judges{few}, Holm-corrected."
    correction = CORRECTION_WORDS[content["method"]["correction_of_pairs"]]
    return f"Tests of the difference of scores, corrected by {correction}."


def _cell(found: tuple[int, int, float | None] | None) -> Value:
    if found is None:
        return None
    won, decided, p = found
    return f"{round(100 * won / decided)}{mark_of(p)}"


def pairs_file(file: PublishedFile) -> str:
    """Return CSV with a line for each pair, in rank order, protected against formula injection."""
    columns = [*_PAIR_COLUMNS, *(_OWN_TESTS if has_own_tests(file.content) else ())]
    return _csv(file.content["ranking"]["pairs"], columns)


def _csv(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> str:
    columns = [Column(name, name) for name in names]
    table = Table.of(rows, name="rows", title="", columns=columns)
    return write(Report(tables=[table], data={}), ReportFormat.CSV)


_OF_ROWS: Final = (
    *(
        "cluster",
        "rank",
        "system",
        "score",
        "rank_low",
        "rank_high",
        "wins",
        "losses",
        "ties",
    ),
)
_OF_SYSTEMS: Final = ("kind", "constrained", "team", "is_withdrawn")


def csv_file(file: PublishedFile) -> str:
    """Return CSV with a line for each system, ranked ones first, protected against formula injection.

    Columns for the last of shared ranks and for unconnected groups are only present if needed.
    """
    about = {each["system"]: each for each in file.content["systems"]}
    ranked = file.content["ranking"]["systems"]
    others = file.content["ranking"]["not_estimable"]
    more = [
        *(
            ["last_rank"]
            if any(row.get("last_rank", row["rank"]) != row["rank"] for row in ranked)
            else []
        ),
        *(["group"] if len(grouped(ranked)) > 1 else []),
    ]
    names = [*_OF_ROWS, *_OF_SYSTEMS, *more]
    rows = (
        {**dict.fromkeys(names), **_about(about[row["system"]]), **row}
        for row in [*map(only_estimable, ranked), *others]
    )
    return _csv(rows, names)


def _about(system: PublishedSystem) -> dict[str, Any]:
    words = {True: "yes", False: "no", None: None}
    return {
        **system,
        "constrained": words[system["constrained"]],
        "is_withdrawn": words[system["is_withdrawn"]],
    }


_INDENT: Final = "  "
_BRACES: Final = {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}


def bibtex_file(file: PublishedFile) -> str:
    """Return a BibTeX entry; braces in the title keep the case of names."""
    content = file.content
    day = content["published_at"][:10]
    fields = {
        "title": f"{{{_tex(title_of(content))}}}",
        # Braces make a single author of a name such as "MT group and friends".
        "author": " and ".join(_author(each) for each in content["authors"]),
        "year": day[:4],
        "month": str(int(day[5:7])),
        "note": f"Version {content['version']}, SHA-256 {file.digest}",
        # Our addresses contain no markup.
        "url": file.url,
    }
    lines = [
        f"{_INDENT}{name} = {{{value}}}," for name, value in fields.items() if value
    ]
    return "\n".join([f"@misc{{{_key(file)},", *lines, "}"]) + "\n"


def cff_file(file: PublishedFile) -> bytes:
    """Return a file in the Citation File Format 1.2."""
    content = file.content
    authors = content["authors"] or [content["campaign"]["name"]]
    return yaml_bytes(
        {
            "cff-version": "1.2.0",
            "message": "If you use this result, please cite it as below.",
            "type": "dataset",
            "title": title_of(content),
            "authors": [{"name": one_line(author)} for author in authors],
            "version": str(content["version"]),
            "date-released": content["published_at"][:10],
            **({"url": file.url} if file.url else {}),
            "identifiers": [
                {
                    "type": "other",
                    "value": f"sha256:{file.digest}",
                    "description": "SHA-256 of result.json",
                }
            ],
        }
    )


def _key(file: PublishedFile) -> str:
    plain = unicodedata.normalize("NFKD", file.content["campaign"]["name"])
    word = re.sub(r"[^a-z0-9]", "", plain.encode("ascii", "ignore").decode().lower())
    test_set = file.content["test_set"]
    pair = re.sub(
        r"[^a-z]", "", f"{test_set['source_language']}{test_set['target_language']}"
    )
    return f"{word or 'result'}{pair}{file.digest[:6]}"


def _author(name: str) -> str:
    text = _tex(one_line(name))
    if re.search(r",", text) and " and " not in text:
        return text
    return f"{{{text}}}"


def _tex(text: str) -> str:
    # BibTeX counts braces, whether escaped or not.
    parts = re.split(r"([{}])", text)
    return "".join(_BRACES.get(part) or escaped_latex(part) for part in parts)


#: Files by name, in display order. Not every folder has all of them.
FOLDER: Final[Mapping[str, Promise]] = {
    bundles.INDEX: _("Result page (offline)"),
    bundles.README: _("Description and how to verify the bundle"),
    "ranking.csv": _("Table as CSV"),
    "pairs.csv": _("Pairs as CSV"),
    "ranking.tex": _("Table as LaTeX (booktabs)"),
    "ranking.typ": _("Table as Typst"),
    "ranking.md": _("Table as Markdown"),
    "ranking.svg": _("Plot as SVG"),
    "ranking.png": _("Plot as PNG"),
    "results.csv": _("Tables as CSV"),
    "results.tex": _("Tables as LaTeX (booktabs)"),
    "results.typ": _("Tables as Typst"),
    "results.md": _("Tables as Markdown"),
    "citation.bib": _("Citation as BibTeX"),
    "CITATION.cff": _("Citation as CITATION.cff"),
    bundles.RESULT: _(
        "Complete result as JSON (the address is the start of its SHA-256)"
    ),
    bundles.JUDGMENTS: _("Judgments that count as CSV (judges by pseudonym)"),
    bundles.PARQUET: _("Judgments that count as Parquet, sorted by segment"),
    bundles.LEFT_OUT: _("Judgments of excluded judges as CSV"),
    bundles.ANSWERS: _(
        "Answers to the questions of the protocol, which contain outputs"
    ),
    bundles.TEXTS: _("Sources, references and outputs"),
    bundles.DESIGN: _("Sampling designs"),
    bundles.DRAWS: _("Judged HITs: design, blocks and judges"),
    bundles.RUN: _("Method, parameters, seed and code version"),
    bundles.METADATA: _("Metadata (RO-Crate)"),
    bundles.CHECKSUMS: _("Checksums (SHA-256) of all other files"),
}


Content = Mapping[str, Any]

_CRATE: Final = "https://w3id.org/ro/crate/1.2"

_NAMES: Final = """Systems called "System A", "System B" … are anonymous. To keep them so, the seeds of
designs are not included, and the candidates of a block are sorted by name, not in display order."""
_ALL_NAMED: Final = "Candidates are in display order."


def hides_a_name(content: PublishedContent) -> bool:
    """Return whether a result has anonymous systems."""
    return not all(each["is_named"] for each in content["systems"])


def readme(content: PublishedContent, digest: str, names: Sequence[str]) -> str:
    """Return the text of README.md for a bundle with these files."""
    method = " ".join(method_sentences(content))
    listed = "\n".join(f"- `{name}`: {FOLDER[name]}" for name in names)
    if bundles.TEXTS in names:
        texts = ""
    else:
        texts = "\nTexts are not included.\n"
    return f"""# {title_of(content)}

Version {content["version"]}, published {content["published_at"][:10]}. {basis_of(content)}

SHA-256 of the result: `{digest}`. The address of its page ends in its first 16 characters, `{digest[:16]}`.

## Method

{method}

## Files

{listed}
{texts}
Judges have pseudonyms. {_NAMES if hides_a_name(content) else _ALL_NAMED}

## Verify

`sha256sum -c {bundles.CHECKSUMS}` in the unpacked folder verifies each file. With Quintet
{content["method"]["code_version"]} (no database needed):

```sh
python manage.py reproduce bundle.zip --digest {digest[:16]}
```

It lists changed files, recomputes the ranking from `judgments.csv` and compares it with
`result.json`, bit for bit. {_further(content, names)}
"""


def _further(content: PublishedContent, names: Sequence[str]) -> str:
    """Return the command that computes more from the files of a bundle."""
    if bundles.ANSWERS in names:
        kind = content["sections"]["answers"]["analysis"]
        return f"`python manage.py analyse {kind} {bundles.ANSWERS}` computes the tables of answers."
    return "`python manage.py rank_judgments judgments.csv` ranks by other methods."


def crate(
    content: PublishedContent, digest: str, files: Sequence[Mapping[str, Any]]
) -> str:
    """Return the RO-Crate metadata of a bundle; `files` has the name, bytes and SHA-256 of each file to list."""
    entities = [
        {
            **_plain_file(file["name"]),
            "contentSize": str(file["bytes"]),
            "sha256": file["sha256"],
        }
        for file in files
    ]
    entities.append(_plain_file(bundles.CHECKSUMS))
    authors = [
        {"@id": f"#author-{number}", "@type": "Person", "name": one_line(name)}
        for number, name in enumerate(content["authors"], 1)
    ]
    graph = [
        {
            "@id": bundles.METADATA,
            "@type": "CreativeWork",
            "conformsTo": {"@id": _CRATE},
            "about": {"@id": "./"},
        },
        _root(content, digest, [*entities, *authors]),
        *entities,
        *authors,
        *_provenance(content),
        {
            "@id": "#licence",
            "@type": "CreativeWork",
            "name": "No licence stated",
            "description": "Ask the publishers of the result how you may use it.",
        },
    ]
    said = {"@context": f"{_CRATE}/context", "@graph": graph}
    return json.dumps(said, ensure_ascii=False, indent=1) + "\n"


def _root(
    content: PublishedContent, digest: str, entities: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    files = [{"@id": entity["@id"]} for entity in entities if entity["@type"] == "File"]
    authors = [
        {"@id": entity["@id"]} for entity in entities if entity["@type"] == "Person"
    ]
    return {
        "@id": "./",
        "@type": "Dataset",
        "name": title_of(content),
        "description": f"Human ranking of machine translation systems. {basis_of(content)}",
        "datePublished": content["published_at"],
        "version": str(content["version"]),
        "identifier": digest,
        "license": {"@id": "#licence"},
        **({"author": authors} if authors else {}),
        "hasPart": files,
        "mentions": [{"@id": "#ranking"}],
    }


def _provenance(content: PublishedContent) -> list[dict[str, Any]]:
    method = content["method"]
    return [
        {
            "@id": "#ranking",
            "@type": "CreateAction",
            "name": f"Ranking by {method['name']}",
            "endTime": method["computed_at"],
            "instrument": {"@id": "#quintet"},
            "object": [{"@id": bundles.JUDGMENTS}],
            "result": [{"@id": bundles.RESULT}],
        },
        {
            "@id": "#quintet",
            "@type": "SoftwareApplication",
            "name": "Quintet",
            "softwareVersion": method["code_version"],
        },
    ]


def _plain_file(name: str) -> dict[str, Any]:
    words = str(FOLDER[name])
    kind = media_type(name)
    return {"@id": name, "@type": "File", "description": words, "encodingFormat": kind}
