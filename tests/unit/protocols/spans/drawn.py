"""Judgments for tests: one by hand, and any by Hypothesis."""

from collections.abc import Sequence

from hypothesis import strategies as st

from protocols.spans.records import ScoredJudgment, ScoredOutput, Severity, Span

#: Line breaks, quotes, marks' letters, and characters of two units of UTF-16.
_LETTERS = "ab <v/>\"'\n,é😀字"
_NAMES = st.text("abc_-=+#. é😀", min_size=1, max_size=8).map(str.strip).filter(bool)
_CATEGORIES = st.sampled_from(
    ["", "Accuracy/Mistranslation", "Fluency/Punctuation", "Other"],
)
#: As files write them: to the millisecond.
_TIMES = st.integers(0, 2_000_000_000_000).map(lambda milliseconds: milliseconds / 1000)


def output(
    system: str,
    score: float | None,
    spans: Sequence[Span] | None = (),
    text: str | None = None,
) -> ScoredOutput:
    return ScoredOutput((system,), score, None if spans is None else tuple(spans), text)


def judgment(
    *outputs: ScoredOutput,
    judge: str = "ann",
    segment: str = "1",
    document: str = "d",
) -> ScoredJudgment:
    return ScoredJudgment("en", "de", document, segment, judge, outputs)


def minor(start: int | None = 0, end: int | None = 1, category: str = "") -> Span:
    return Span(start, end, Severity.MINOR, category)


def major(start: int | None = 0, end: int | None = 1, category: str = "") -> Span:
    return Span(start, end, Severity.MAJOR, category)


@st.composite
def spans_of(draw: st.DrawFn, text: str) -> tuple[Span, ...]:
    """Spans side by side in a text, and missing content."""
    ends = draw(
        st.lists(st.integers(0, len(text)), unique=True, max_size=6).map(sorted),
    )
    severities = st.sampled_from(list(Severity))
    found = [
        Span(start, end, draw(severities), draw(_CATEGORIES))
        for start, end in zip(ends[::2], ends[1::2], strict=False)
    ]
    missing = draw(st.integers(0, 2))
    return (
        *found,
        # Two equal errors are two.
        *found[: draw(st.integers(0, 1))],
        *(
            Span(None, None, draw(severities), draw(_CATEGORIES))
            for _ in range(missing)
        ),
    )


@st.composite
def outputs(draw: st.DrawFn, systems: tuple[str, ...], *, texts: bool) -> ScoredOutput:
    text = draw(st.text(_LETTERS, max_size=12))
    asked = draw(st.booleans())
    return ScoredOutput(
        systems=systems,
        score=draw(st.none() | st.integers(0, 100).map(float) | st.just(33.25)),
        spans=draw(spans_of(text)) if asked else None,
        text=text if texts or draw(st.booleans()) else None,
    )


@st.composite
def any_judgment(draw: st.DrawFn, *, texts: bool = False) -> ScoredJudgment:
    """A judgment with everything a file may say."""
    systems = draw(
        st.lists(
            _NAMES.filter(lambda name: "," not in name),
            min_size=1,
            max_size=5,
            unique=True,
        ),
    )
    together = draw(st.booleans()) and len(systems) > 2
    groups = [tuple(systems[:2])] if together else [(name,) for name in systems[:2]]
    groups += [(name,) for name in systems[2:]]
    started = draw(st.none() | _TIMES)
    worked = draw(st.none() | st.integers(0, 100_000))
    return ScoredJudgment(
        source_language=draw(st.sampled_from(["", "en"])),
        target_language=draw(st.sampled_from(["", "de"])),
        document=draw(st.sampled_from(["", "doc 1", "doc-2"])),
        segment=draw(_NAMES),
        judge=draw(_NAMES),
        outputs=tuple(draw(outputs(group, texts=texts)) for group in groups),
        source=draw(st.none() | st.text(_LETTERS, max_size=8)),
        started_at=started,
        ended_at=None if started is None else started + draw(st.integers(0, 500)),
        duration_ms=worked,
        comment=draw(st.sampled_from(["", "“too long”\nand late"])),
    )
