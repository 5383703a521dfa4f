"""How a published result is cited: BibTeX, and CITATION.cff, which hosts of repositories read."""

import json
import re
import unicodedata
from typing import Final

from ranking.reports.published.report import PublishedFile, one_line, title_of
from ranking.reports.writing import escaped_latex

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
        f"title: {_text(title_of(content))}",
        "authors:",
        *(f"  - name: {_text(each)}" for each in authors),
        f"version: {_text(str(content['version']))}",
        f"date-released: {_text(content['published_at'][:10])}",
        *([f"url: {_text(file.url)}"] if file.url else []),
        "identifiers:",
        "  - type: other",
        f"    value: {_text('sha256:' + file.digest)}",
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


def _text(text: str) -> str:
    return json.dumps(one_line(text), ensure_ascii=False)
