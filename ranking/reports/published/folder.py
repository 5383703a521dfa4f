"""The frozen folder of a published result: its files, for the page, the zip and README.md.

Its files are in English. docs/publishing.md has the same list; `tests/integration/publishing/test_folder.py`
compares them.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaign.export.downloads import media_type
from campaign.formats.yaml_tree import yaml_bytes
from ranking.files import bundles
from ranking.reports.published.report import PublishedFile, basis_of, one_line, title_of
from ranking.reports.writing import escaped_latex
from ranking.wording.published_method import method_sentences

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
    lines = [f"{_INDENT}{name} = {{{value}}}," for name, value in fields.items() if value]
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
            "authors": [{"name": one_line(each)} for each in authors],
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
    pair = re.sub(r"[^a-z]", "", f"{test_set['source_language']}{test_set['target_language']}")
    return f"{word or 'result'}{pair}{file.digest[:6]}"


def _author(name: str) -> str:
    text = _tex(one_line(name))
    return text if re.search(r",", text) and " and " not in text else f"{{{text}}}"


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
    "citation.bib": _("Citation as BibTeX"),
    "CITATION.cff": _("Citation as CITATION.cff"),
    bundles.RESULT: _("Complete result as JSON (the address is the start of its SHA-256)"),
    bundles.JUDGMENTS: _("Judgments that count as CSV (judges by pseudonym)"),
    bundles.PARQUET: _("Judgments that count as Parquet, sorted by segment"),
    bundles.LEFT_OUT: _("Judgments of excluded judges as CSV"),
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


def hides_a_name(content: Content) -> bool:
    """Return whether a result has anonymous systems."""
    return not all(each["is_named"] for each in content["systems"])


def readme(content: Content, digest: str, names: Sequence[str]) -> str:
    """Return the text of README.md for a bundle with these files."""
    method = " ".join(method_sentences(content))
    listed = "\n".join(f"- `{name}`: {FOLDER[name]}" for name in names)
    texts = "" if bundles.TEXTS in names else "\nTexts are not included.\n"
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
`result.json`, bit for bit. `python manage.py rank_judgments judgments.csv` ranks by other methods.
"""


def crate(content: Content, digest: str, files: Sequence[Mapping[str, Any]]) -> str:
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
    words, kind = str(FOLDER[name]), media_type(name)
    return {"@id": name, "@type": "File", "description": words, "encodingFormat": kind}
