"""The frozen folder of a published result: its files, as the page lists them, the zip holds them and README.md tells them.

In English, like all its files. docs/publishing.md lists the same; `tests/integration/publishing/test_folder.py`
compares them.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaign.export.downloads import media_type
from campaign.texts.canonical_json import canonical
from optional_packages import has_extra
from ranking.files.bundles import (
    CHECKSUMS,
    DESIGN,
    DRAWS,
    INDEX,
    JUDGMENTS,
    LEFT_OUT,
    METADATA,
    PARQUET,
    README,
    RESULT,
    RUN,
    TEXTS,
)
from ranking.reports.published.plot import png_file, svg_file
from ranking.reports.published.report import (
    PublishedFile,
    basis_of,
    csv_file,
    latex_file,
    markdown_file,
    one_line,
    pairs_file,
    title_of,
    typst_file,
)
from ranking.reports.writing import escaped_latex
from ranking.wording.published_method import method_sentences

_INDENT: Final = "  "
_BRACES: Final = {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}


def bibtex_file(file: PublishedFile) -> str:
    """Return an entry; braces in the title keep the case of names."""
    content = file.content
    day = content["published_at"][:10]
    fields = {
        "title": f"{{{_tex(title_of(content))}}}",
        # Braces hold a name together: "MT group and friends" is one author.
        "author": " and ".join(_author(each) for each in content["authors"]),
        "year": day[:4],
        "month": str(int(day[5:7])),
        "note": f"Version {content['version']}, SHA-256 {file.digest}",
        # Addresses are ours: nothing in them is markup.
        "url": file.url,
    }
    lines = [f"{_INDENT}{name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{_key(file)},", *lines, "}"]) + "\n"


def cff_file(file: PublishedFile) -> str:
    """Return a file by the Citation File Format 1.2; its texts are written as JSON, which YAML is."""
    content = file.content
    authors = content["authors"] or [content["campaign"]["name"]]
    lines = [
        "cff-version: 1.2.0",
        'message: "If you use this result, please cite it as below."',
        "type: dataset",
        f"title: {_quoted(title_of(content))}",
        "authors:",
        *(f"  - name: {_quoted(each)}" for each in authors),
        f"version: {_quoted(str(content['version']))}",
        f"date-released: {_quoted(content['published_at'][:10])}",
        *([f"url: {_quoted(file.url)}"] if file.url else []),
        "identifiers:",
        "  - type: other",
        f"    value: {_quoted('sha256:' + file.digest)}",
        '    description: "SHA-256 of result.json"',
    ]
    return "\n".join(lines) + "\n"


def _key(file: PublishedFile) -> str:
    plain = unicodedata.normalize("NFKD", file.content["campaign"]["name"])
    word = re.sub(r"[^a-z0-9]", "", plain.encode("ascii", "ignore").decode().lower())
    test_set = file.content["test_set"]
    pair = re.sub(r"[^a-z]", "", f"{test_set['source_language']}{test_set['target_language']}")
    return f"{word or 'result'}{pair}{file.digest[:6]}"


def _author(name: str) -> str:
    text = _tex(one_line(name))
    return text if re.search(r",", text) and " and " not in text else f"{{{text}}}"


def _tex(text: str) -> str:
    # BibTeX counts braces whether escaped or not.
    parts = re.split(r"([{}])", text)
    return "".join(_BRACES.get(part) or escaped_latex(part) for part in parts)


def _quoted(text: str) -> str:
    return json.dumps(one_line(text), ensure_ascii=False)


class FolderFile(NamedTuple):
    """A file of the folder.

    Attributes
    ----------
    words : Promise
        What it is.
    write : callable or None
        Returns its text or bytes where they follow from the content of the result alone.
    """

    words: Promise
    write: Callable[[PublishedFile], str | bytes] | None = None


def _result_file(file: PublishedFile) -> str:
    return canonical(file.content)


#: By name, in the order in which they are listed. Not every folder has all of them.
FOLDER: Final[Mapping[str, FolderFile]] = {
    INDEX: FolderFile(_("Result page (offline)")),
    README: FolderFile(_("Description and how to verify the bundle")),
    "ranking.csv": FolderFile(_("Table as CSV"), csv_file),
    "pairs.csv": FolderFile(_("Pairs as CSV"), pairs_file),
    "ranking.tex": FolderFile(_("Table as LaTeX (booktabs)"), latex_file),
    "ranking.typ": FolderFile(_("Table as Typst"), typst_file),
    "ranking.md": FolderFile(_("Table as Markdown"), markdown_file),
    "ranking.svg": FolderFile(_("Plot as SVG"), svg_file),
    "ranking.png": FolderFile(_("Plot as PNG"), png_file if has_extra("png") else None),
    "citation.bib": FolderFile(_("Citation as BibTeX"), bibtex_file),
    "CITATION.cff": FolderFile(_("Citation as CITATION.cff"), cff_file),
    RESULT: FolderFile(
        _("Complete result as JSON (the address is the start of its SHA-256)"),
        _result_file,
    ),
    JUDGMENTS: FolderFile(_("Judgments that count as CSV (judges by pseudonym)")),
    PARQUET: FolderFile(_("Judgments that count as Parquet, sorted by segment")),
    LEFT_OUT: FolderFile(_("Judgments of excluded judges as CSV")),
    TEXTS: FolderFile(_("Sources, references and outputs")),
    DESIGN: FolderFile(_("Sampling designs")),
    DRAWS: FolderFile(_("Judged HITs: design, blocks and judges")),
    RUN: FolderFile(_("Method, parameters, seed and code version")),
    METADATA: FolderFile(_("Metadata (RO-Crate)")),
    CHECKSUMS: FolderFile(_("Checksums (SHA-256) of all other files")),
}


Content = Mapping[str, Any]

_CRATE: Final = "https://w3id.org/ro/crate/1.2"

_NAMES: Final = """Systems called "System A", "System B" … are anonymous. To keep them so, the seeds of
designs are not included, and the candidates of a block are sorted by name, not in display order."""
_ALL_NAMED: Final = "Candidates are in display order."


@dataclass(frozen=True, slots=True)
class BundleFile:
    """A file of a bundle: its size in bytes and the SHA-256 of its bytes."""

    name: str
    bytes: int
    sha256: str

    def plain(self) -> dict[str, Any]:
        """Return it as the database keeps it."""
        return asdict(self)


def hides_a_name(content: Content) -> bool:
    """Return whether a system of a result is not named in it."""
    return not all(each["is_named"] for each in content["systems"])


def readme(content: Content, digest: str, names: Sequence[str]) -> str:
    """Return README.md of a bundle with these files."""
    with translation.override("en"):
        method = " ".join(method_sentences(content))
        listed = "\n".join(f"- `{name}`: {FOLDER[name].words}" for name in names)
    texts = "" if TEXTS in names else "\nTexts are not included.\n"
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

`sha256sum -c {CHECKSUMS}` in the unpacked folder verifies each file. With Quintet
{content["method"]["code_version"]} (no database needed):

```sh
python manage.py reproduce bundle.zip --digest {digest[:16]}
```

It lists changed files, recomputes the ranking from `judgments.csv` and compares it with
`result.json`, bit for bit. `python manage.py rank_judgments judgments.csv` ranks by other methods.
"""


def crate(content: Content, digest: str, files: Sequence[BundleFile]) -> str:
    """Return the metadata of a bundle; `files` are all in it but these and the checksums."""
    entities = [_file(file) for file in files] + [_plain_file(CHECKSUMS)]
    authors = [
        {"@id": f"#author-{number}", "@type": "Person", "name": one_line(name)}
        for number, name in enumerate(content["authors"], 1)
    ]
    graph = [
        {
            "@id": METADATA,
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


def _root(content: Content, digest: str, entities: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    files = [{"@id": each["@id"]} for each in entities if each["@type"] == "File"]
    authors = [{"@id": each["@id"]} for each in entities if each["@type"] == "Person"]
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


def _provenance(content: Content) -> list[dict[str, Any]]:
    method = content["method"]
    return [
        {
            "@id": "#ranking",
            "@type": "CreateAction",
            "name": f"Ranking by {method['name']}",
            "endTime": method["computed_at"],
            "instrument": {"@id": "#quintet"},
            "object": [{"@id": JUDGMENTS}],
            "result": [{"@id": RESULT}],
        },
        {
            "@id": "#quintet",
            "@type": "SoftwareApplication",
            "name": "Quintet",
            "softwareVersion": method["code_version"],
        },
    ]


def _plain_file(name: str) -> dict[str, Any]:
    file = FOLDER[name]
    with translation.override("en"):
        words = str(file.words)
    return {"@id": name, "@type": "File", "description": words, "encodingFormat": media_type(name)}


def _file(file: BundleFile) -> dict[str, Any]:
    return {**_plain_file(file.name), "contentSize": str(file.bytes), "sha256": file.sha256}


def checksums(files: Sequence[BundleFile]) -> str:
    """Return the lines of checksums.txt."""
    return "".join(
        f"{file.sha256}  {file.name}\n" for file in sorted(files, key=lambda each: each.name)
    )
