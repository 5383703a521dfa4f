"""Pages of the documentation, taken apart.

A comment before a block tells tests what to do with its commands; readers do not see it:

    <!-- not run: needs Docker -->                   the reason why no test can run it
    <!-- run by tests/integration/…/test_x.py -->    a test of its own runs it
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from launcher.data_directory import CHECKOUT

#: What was true once need not be true now.
_HISTORY = {"CHANGELOG.md"}
_FENCE = re.compile(r"^ *```(\w*)$")
_MARKER = re.compile(r"^<!-- (not run: .+|run by \S+) -->$")
_HEADING = re.compile(r"^(#+) (.+)$")
_SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")

PAGES = sorted(
    str(path.relative_to(CHECKOUT))
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "demo/*/README.md",
        "tests/data/*/README.md",
    )
    for path in CHECKOUT.glob(pattern)
    if path.name not in _HISTORY
)


@dataclass(frozen=True)
class Block:
    """A fenced block of code.

    Attributes
    ----------
    line : int
        Number of its first line in the page.
    heading : str
        The heading above it.
    marker : str
        The comment before it, without the marks of a comment; empty if there is none.
    """

    page: str
    line: int
    heading: str
    language: str
    text: str
    marker: str

    @property
    def lines(self) -> range:
        """Return the numbers of its lines in the page."""
        return range(self.line, self.line + len(self.text.splitlines()))

    @property
    def is_commands(self) -> bool:
        """Return whether a terminal takes this."""
        return self.language in ("console", "sh")

    @property
    def is_program(self) -> bool:
        """Return whether Python takes this."""
        return self.language == "python"

    @property
    def commands(self) -> list[str]:
        """Return the commands of a terminal: each of a session, or a script as one."""
        if self.language == "sh":
            return [self.text]
        return _typed(self.text.splitlines())


@dataclass(frozen=True)
class Span:
    """Words in code style in a text, under a heading."""

    line: int
    heading: str
    text: str


@dataclass(frozen=True)
class Page:
    """A page, taken apart."""

    name: str
    blocks: tuple[Block, ...]
    spans: tuple[Span, ...]
    links: tuple[str, ...]
    anchors: frozenset[str]


def _typed(lines: list[str]) -> list[str]:
    """Return what is typed at the prompts `$`; the other lines are answers."""
    commands: list[str] = []
    continues = False
    for line in lines:
        if continues:
            commands[-1] += f"\n{line}"
        elif line.partition("$ ")[1] and " " not in line.partition("$ ")[0]:
            commands.append(line.partition("$ ")[2])
        else:
            continue
        continues = line.endswith(("\\", "; do"))
    return commands


@cache
def read_page(name: str) -> Page:
    """Take a page apart."""
    blocks: list[Block] = []
    prose: list[str] = []
    headings: list[tuple[int, str]] = []
    lines = (CHECKOUT / name).read_text(encoding="utf-8").splitlines()
    fence: tuple[int, str] | None = None
    for number, line in enumerate(lines, start=1):
        opening = _FENCE.match(line)
        if fence is not None:
            if line.strip() == "```":
                start, language = fence
                text = "\n".join(lines[start : number - 1])
                marker = _MARKER.match(lines[start - 2]) if start > 1 else None
                heading = headings[-1][1] if headings else ""
                blocks.append(
                    Block(
                        name,
                        start + 1,
                        heading,
                        language,
                        text,
                        marker[1] if marker else "",
                    ),
                )
                fence = None
            prose.append("")
        elif opening is not None:
            fence = (number, opening[1])
            prose.append("")
        else:
            if heading_match := _HEADING.match(line):
                headings.append((number, heading_match[2]))
            prose.append(line)
    assert fence is None, f"{name}: a block has no end"
    text = "\n".join(prose)
    return Page(
        name=name,
        blocks=tuple(blocks),
        spans=tuple(_spans(text, headings)),
        links=tuple(_LINK.findall(_SPAN.sub("", text))),
        anchors=_anchors(headings),
    )


def _spans(text: str, headings: list[tuple[int, str]]) -> list[Span]:
    spans = []
    for match in _SPAN.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        above = [heading for number, heading in headings if number <= line]
        content = " ".join(match[2].replace("\\|", "|").split())
        spans.append(Span(line, above[-1] if above else "", content))
    return spans


def _anchors(headings: list[tuple[int, str]]) -> frozenset[str]:
    """Return the anchors of headings, as GitHub makes them."""
    anchors: set[str] = set()
    for _line, heading in headings:
        words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        repeated = sum(
            anchor == slug or anchor.startswith(f"{slug}-") for anchor in anchors
        )
        anchors.add(slug if slug not in anchors else f"{slug}-{repeated}")
    return frozenset(anchors)


def path_of_link(page: str, target: str) -> Path:
    """Return the file that a relative link of a page leads to."""
    return ((CHECKOUT / page).parent / target).resolve()
