"""Tables of a published result, and the files of its frozen folder, which are always in English.

docs/publishing.md has the same list of files; `tests/integration/publishing/test_folder.py` compares them.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, TypedDict, cast

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
from ranking.reports.tables import Column, Report, ReportData, Table, Value
from ranking.reports.wording.methods import METHOD_WORDS, shortages_of_rows
from ranking.reports.wording.pair_tests import CORRECTION_WORDS, MARKS, mark_of
from ranking.reports.wording.published_content import (
    PredictedData,
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
from ranking.reports.wording.ranges import (
    cluster_rules,
    rank_cell,
    rank_range,
    rows_by_group,
    rows_by_system,
    shares_rank,
    systems_of,
)
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
    notes = list(map(one_line, filter(None, notes)))
    return Report(tables=tables, data={}, notes=notes)


def answer_tables(content: PublishedContent) -> list[Table]:
    """Return the tables of the protocol's own analysis in the current language; none in older results."""
    answers = content["sections"].get("answers")
    if answers is None:
        return []
    report = report_in(answers["reports"], get_language() or settings.LANGUAGE_CODE)
    return [_prefix_table_name("answers", table) for table in report.tables]


def _prefix_table_name(section: str, table: Table) -> Table:
    return replace(table, name=f"{section}_{table.name}")


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
    ranked = content["ranking"]["systems"]
    groups = rows_by_group(ranked)
    unranked = content["ranking"]["not_estimable"]
    if len(groups) < 2:
        return [_table(content, ranked, unranked)]
    tables = []
    for number, rows in groups.items():
        table = _table(content, rows)
        title = f"{table.title}, group {number}: not compared with other groups"
        tables.append(replace(table, name=f"ranking_group_{number}", title=title))
    if unranked:
        tables.append(replace(_table(content, [], unranked), name="ranking_none"))
    return tables


def _table(
    content: PublishedContent,
    ranked: Sequence[RankedRow],
    unranked: Sequence[UnrankedRow] = (),
) -> Table:
    """Return a table of systems."""
    rows = [_ranked_cells(content, row) for row in ranked]
    rows += [_cells(content, row) for row in unranked]
    return Table.of(
        rows,
        name="ranking",
        title=title_of(content),
        columns=_COLUMNS,
        notes=shortages_of_rows(ranked),
        rules=cluster_rules(ranked),
    )


def title_of(content: PublishedContent) -> str:
    """Return "Autumn 2026, newstest2026 (cs–en)"."""
    test_set = content["test_set"]
    languages = f"{test_set['source_language']}–{test_set['target_language']}"
    return one_line(f"{content['campaign']['name']}, {test_set['name']} ({languages})")


def basis_of(content: PublishedContent) -> str:
    """Return one or two sentences on the data behind the table."""
    counted = content["input"]
    blocks = f"{counted['blocks']:,} blocks by {counted['judges']:,} judges."
    if not has_ranking(content):
        return blocks
    name = content["method"]["name"]
    method = METHOD_WORDS.get(name, name)
    confidence = 100 * content["method"]["parameters"]["confidence"]
    return (
        f"{counted['comparisons']:,} comparisons in {blocks} Score: {method}. "
        f"Rank ranges at {confidence:g}%. Lines separate clusters."
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
    entry = rows_by_system(content["systems"]).get(system)
    if entry is not None and entry["is_withdrawn"]:
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
    if inter["kappa"] is None:
        sentences = _no_kappa(inter)
    else:
        sentences = [f"κ between judges: {_kappa(inter, confidence)}."]
    if own is not None:
        sentences.append(f"κ within judges: {_kappa(own, confidence)}.")
    return sentences


def _no_kappa(inter: PublishedKappa) -> list[str]:
    """Return why κ between judges is not given although it can be computed."""
    reason = inter.get("reason")
    if reason == NotEstimable.NO_INTERVAL:
        return ["κ between judges is not given: it has no interval."]
    if reason == NotEstimable.INTERVAL_TOO_WIDE:
        ends = f"{inter['low']:.2f} to {inter['high']:.2f}"
        return [f"κ between judges is not given: its interval, {ends}, is too wide."]
    return []


def _kappa(measure: PublishedKappa, confidence: float) -> str:
    """Return κ with its interval; older published results have none for judges with themselves."""
    kappa = f"{measure['kappa']:.2f}"
    low = measure.get("low")
    high = measure.get("high")
    if low is None or high is None:
        return kappa
    return f"{kappa} ({low:.2f} to {high:.2f} at {100 * confidence:g}%)"


def _cells(content: PublishedContent, row: RankedRow | UnrankedRow) -> dict[str, Value]:
    """Return the cells of a system without a rank: only its ties."""
    return {"system": name_of(content, row["system"]), "ties": row["ties"]}


def _ranked_cells(content: PublishedContent, row: RankedRow) -> dict[str, Value]:
    """Return the cells of a ranked system."""
    return {
        **_cells(content, row),
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


class PairOutcome(NamedTuple):
    """Comparisons that one system won against another, decided comparisons, and their corrected p-value."""

    won: int
    decided: int
    p: float | None


Against = Callable[[str, str], PairOutcome | None]


def metric_tables(content: PublishedContent) -> list[Table]:
    """Return the tables of metrics that were included: their agreement with judges, and the ranking completed by one."""
    sections = content["sections"]
    tables = []
    if "metrics" in sections:
        agreement = agreement_tables(
            sections["metrics"],
            sections["metrics"]["confidence"],
        )
        for table in agreement:
            tables.append(replace(_prefix_table_name("metrics", table), plot=None))
    if "predicted_ranking" in sections:
        tables.append(_predicted_table(content, sections["predicted_ranking"]))
    return tables


def _predicted_table(content: PublishedContent, predicted: PredictedData) -> Table:
    """Return the published ranks by people alone, and those completed by a metric or a machine judge."""
    completed = rows_by_system(predicted["systems"])
    rows = []
    for people in content["ranking"]["systems"]:
        row = completed.get(people["system"])
        if row is None:
            continue
        by_people = {
            "system": name_of(content, row["system"]),
            "people_rank": rank_cell(people),
            "people_range": rank_range(people),
        }
        completed_range = rank_range(cast("RankedRow", row))
        rows.append({**row, **by_people, "rank_range": completed_range})
    return Table.of(
        rows,
        name="predicted_ranking",
        title=completed_by(predicted),
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
    names = systems_of(content["ranking"]["systems"])
    against = pairs_against(content)
    marks = ", ".join(f"{mark} up to {most:.2f}" for most, mark in reversed(MARKS))
    columns = [Column("system", "System", is_text=True)]
    rows = []
    for number, name in enumerate(names, 1):
        columns.append(Column(f"against_{number}", one_line(name)))
        cells = [_share_won(against(name, other)) for other in names]
        rows.append([name_of(content, name), *cells])
    table = Table(
        name="pairs",
        title="Share of decided comparisons in which the row beats the column, in %",
        columns=columns,
        rows=rows,
        notes=[f"{own_tests_caption(content)} Marks: {marks}."],
    )
    return [table]


def pairs_against(content: PublishedContent) -> Against:
    """Return the function that returns the outcome of one system against another.

    The p-value is of the pair's own comparisons, or of the difference of scores if there is no other.
    None if no comparison of the two is decided.
    """
    pairs = {}
    for pair in content["ranking"]["pairs"]:
        pairs[pair["better"], pair["worse"]] = pair

    def against(system: str, other: str) -> PairOutcome | None:
        pair = pairs.get((system, other)) or pairs.get((other, system))
        if pair is None:
            return None
        decided = pair["wins"] + pair["losses"]
        if not decided:
            return None
        is_better = pair["better"] == system
        won = pair["wins"] if is_better else pair["losses"]
        return PairOutcome(won, decided, marked_p(pair))

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
        few = " where there are enough" if content["ranking"]["own_limits"] else ""
        return f"Two-sided tests of the pair's own comparisons, accounting for segments and judges{few}, Holm-corrected."
    correction = CORRECTION_WORDS[content["method"]["correction_of_pairs"]]
    return f"Tests of the difference of scores, corrected by {correction}."


def _share_won(outcome: PairOutcome | None) -> Value:
    if outcome is None:
        return None
    percentage = round(100 * outcome.won / outcome.decided)
    return f"{percentage}{mark_of(outcome.p)}"


def pairs_file(file: PublishedFile) -> str:
    """Return CSV with a line for each pair, in rank order, protected against formula injection."""
    columns = list(_PAIR_COLUMNS)
    if has_own_tests(file.content):
        columns += _OWN_TESTS
    return _csv(file.content["ranking"]["pairs"], columns)


def _csv(rows: Iterable[Mapping[str, object]], names: Sequence[str]) -> str:
    columns = [Column(name, name) for name in names]
    table = Table.of(rows, name="rows", title="", columns=columns)
    return write(Report(tables=[table], data={}), ReportFormat.CSV)


_OF_ROWS: Final = (
    "cluster",
    "rank",
    "system",
    "score",
    "rank_low",
    "rank_high",
    "wins",
    "losses",
    "ties",
)
_OF_SYSTEMS: Final = ("kind", "constrained", "team", "is_withdrawn")


def csv_file(file: PublishedFile) -> str:
    """Return CSV with a line for each system, ranked ones first, protected against formula injection.

    Columns for the last of shared ranks and for unconnected groups are only present if needed.
    """
    systems = rows_by_system(file.content["systems"])
    ranked = file.content["ranking"]["systems"]
    unranked = file.content["ranking"]["not_estimable"]
    names = [*_OF_ROWS, *_OF_SYSTEMS]
    if any(map(shares_rank, ranked)):
        names.append("last_rank")
    if len(rows_by_group(ranked)) > 1:
        names.append("group")
    rows = []
    for row in (*map(only_estimable, ranked), *unranked):
        rows.append({**_entry(systems[row["system"]]), **row})
    return _csv(rows, names)


def _entry(system: PublishedSystem) -> ReportData:
    labels = {True: "yes", False: "no", None: None}
    return {
        **system,
        "constrained": labels[system["constrained"]],
        "is_withdrawn": labels[system["is_withdrawn"]],
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
        "author": " and ".join(map(_author, content["authors"])),
        "year": day[:4],
        "month": str(int(day[5:7])),
        "note": f"Version {content['version']}, SHA-256 {file.digest}",
        # Our addresses contain no markup.
        "url": file.url,
    }
    lines = [f"@misc{{{_key(file)},"]
    for name, value in fields.items():
        if value:
            lines.append(f"{_INDENT}{name} = {{{value}}},")
    return "\n".join([*lines, "}"]) + "\n"


def cff_file(file: PublishedFile) -> bytes:
    """Return a file in the Citation File Format 1.2."""
    content = file.content
    authors = content["authors"] or [content["campaign"]["name"]]
    citation = {
        "cff-version": "1.2.0",
        "message": "If you use this result, please cite it as below.",
        "type": "dataset",
        "title": title_of(content),
        "authors": [{"name": one_line(author)} for author in authors],
        "version": str(content["version"]),
        "date-released": content["published_at"][:10],
    }
    if file.url:
        citation["url"] = file.url
    digest = {
        "type": "other",
        "value": f"sha256:{file.digest}",
        "description": "SHA-256 of result.json",
    }
    return yaml_bytes({**citation, "identifiers": [digest]})


def _key(file: PublishedFile) -> str:
    decomposed = unicodedata.normalize("NFKD", file.content["campaign"]["name"])
    ascii_name = decomposed.encode("ascii", "ignore").decode().lower()
    word = re.sub(r"[^a-z0-9]", "", ascii_name)
    test_set = file.content["test_set"]
    languages = f"{test_set['source_language']}{test_set['target_language']}"
    pair = re.sub(r"[^a-z]", "", languages)
    return f"{word or 'result'}{pair}{file.digest[:6]}"


def _author(name: str) -> str:
    text = _tex(one_line(name))
    if "," in text and " and " not in text:
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
        "Complete result as JSON (the address is the start of its SHA-256)",
    ),
    bundles.JUDGMENTS: _("Judgments that count as CSV (judges by pseudonym)"),
    bundles.PARQUET: _("Judgments that count as Parquet, sorted by segment"),
    bundles.LEFT_OUT: _("Judgments of excluded judges as CSV"),
    bundles.ANSWERS: _(
        "Answers to the questions of the protocol, which contain outputs",
    ),
    bundles.TEXTS: _("Sources, references and outputs"),
    bundles.DESIGN: _("Sampling designs"),
    bundles.DRAWS: _("Judged HITs: design, blocks and judges"),
    bundles.RUN: _("Method, parameters, seed and code version"),
    bundles.METADATA: _("Metadata (RO-Crate)"),
    bundles.CHECKSUMS: _("Checksums (SHA-256) of all other files"),
}


_CRATE: Final = "https://w3id.org/ro/crate/1.2"

_NAMES: Final = """Systems called "System A", "System B" … are anonymous. To keep them so, the seeds of
designs are not included, and the candidates of a block are sorted by name, not in display order."""
_ALL_NAMED: Final = "Candidates are in display order."


def hides_a_name(content: PublishedContent) -> bool:
    """Return whether a result has anonymous systems."""
    return not all(system["is_named"] for system in content["systems"])


def readme(content: PublishedContent, digest: str, names: Sequence[str]) -> str:
    """Return the text of README.md for a bundle with these files."""
    method = " ".join(method_sentences(content))
    listed = "\n".join(f"- `{name}`: {FOLDER[name]}" for name in names)
    texts = "" if bundles.TEXTS in names else "\nTexts are not included.\n"
    names_note = _NAMES if hides_a_name(content) else _ALL_NAMED
    return f"""# {title_of(content)}

Version {content["version"]}, published {content["published_at"][:10]}. {basis_of(content)}

SHA-256 of the result: `{digest}`. The address of its page ends in its first 16 characters, `{digest[:16]}`.

## Method

{method}

## Files

{listed}
{texts}
Judges have pseudonyms. {names_note}

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


class BundleFile(TypedDict):
    """A file of a bundle."""

    name: str
    bytes: int
    sha256: str


#: An entity of RO-Crate metadata, in JSON-LD.
Entity = Mapping[str, object]


def crate(content: PublishedContent, digest: str, files: Sequence[BundleFile]) -> str:
    """Return the RO-Crate metadata of a bundle; `files` are those to list."""
    entities: list[Entity] = []
    for file in files:
        content_size = str(file["bytes"])
        details = {"contentSize": content_size, "sha256": file["sha256"]}
        entities.append({**_plain_file(file["name"]), **details})
    entities.append(_plain_file(bundles.CHECKSUMS))
    authors: list[Entity] = []
    for number, name in enumerate(content["authors"], 1):
        author = {"@id": f"#author-{number}", "@type": "Person", "name": one_line(name)}
        authors.append(author)
    graph = [
        {
            "@id": bundles.METADATA,
            "@type": "CreativeWork",
            "conformsTo": {"@id": _CRATE},
            "about": {"@id": "./"},
        },
        _root(content, digest, entities, authors),
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
    metadata = {"@context": f"{_CRATE}/context", "@graph": graph}
    return json.dumps(metadata, ensure_ascii=False, indent=1) + "\n"


def _references(entities: Sequence[Entity]) -> list[Entity]:
    return [{"@id": entity["@id"]} for entity in entities]


def _root(
    content: PublishedContent,
    digest: str,
    files: Sequence[Entity],
    authors: Sequence[Entity],
) -> Entity:
    dataset: dict[str, object] = {
        "@id": "./",
        "@type": "Dataset",
        "name": title_of(content),
        "description": f"Human evaluation of system outputs. {basis_of(content)}",
        "datePublished": content["published_at"],
        "version": str(content["version"]),
        "identifier": digest,
        "license": {"@id": "#licence"},
    }
    if authors:
        dataset["author"] = _references(authors)
    return {
        **dataset,
        "hasPart": _references(files),
        "mentions": [{"@id": "#ranking"}],
    }


def _provenance(content: PublishedContent) -> list[Entity]:
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


def _plain_file(name: str) -> Entity:
    description = str(FOLDER[name])
    kind = media_type(name)
    return {
        "@id": name,
        "@type": "File",
        "description": description,
        "encodingFormat": kind,
    }
