"""What a bundle says of itself: README.md and the metadata of RO-Crate 1.2. In English, like all its files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from django.utils import translation

from ranking.files.bundles.names import CHECKSUMS, JUDGMENTS, METADATA, RESULT, TEXTS
from ranking.reports.published.folder import FOLDER
from ranking.reports.published.report import basis_of, one_line, title_of
from ranking.wording.published_method import method_sentences

Content = Mapping[str, Any]

_CRATE: Final = "https://w3id.org/ro/crate/1.2"

_NAMES: Final = """Systems called "System A", "System B" … were not to be named. So that nobody can
test whether a name fits what was drawn, there are no seeds of designs, and the candidates of a block are sorted by what they
are called, not as they were shown."""
_ALL_NAMED: Final = "Candidates are in the order in which they were shown."


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
    texts = (
        "" if TEXTS in names else "\nTexts are not in it: its organisers did not include them.\n"
    )
    return f"""# {title_of(content)}

Version {content["version"]}, published {content["published_at"][:10]}. {basis_of(content)}

SHA-256 of the result: `{digest}`. The address of its page ends in its first 16 characters, `{digest[:16]}`.

## Method

{method}

## Files

{listed}
{texts}
Judges are known by pseudonyms. {_NAMES if hides_a_name(content) else _ALL_NAMED}

## Check it

`sha256sum -c {CHECKSUMS}` in the unpacked folder says whether each file is as it was. With Quintet
{content["method"]["code_version"]}, which needs no database for this:

```sh
python manage.py reproduce bundle.zip --digest {digest[:16]}
```

It names each file that was changed, computes the ranking again from `judgments.csv` and compares it with
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
            "name": "No licence is stated",
            "description": "Ask those who published the result what you may do with it.",
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
        "description": f"A ranking of machine translation systems by people. {basis_of(content)}",
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
    return {"@id": name, "@type": "File", "description": words, "encodingFormat": file.media_type}


def _file(file: BundleFile) -> dict[str, Any]:
    return {**_plain_file(file.name), "contentSize": str(file.bytes), "sha256": file.sha256}


def checksums(files: Sequence[BundleFile]) -> str:
    """Return the lines of checksums.txt."""
    return "".join(
        f"{file.sha256}  {file.name}\n" for file in sorted(files, key=lambda each: each.name)
    )
