"""Valid scored judgments, and spans that fit their text."""

import pytest

from protocols.spans.records import ScoredJudgment, Severity, Span, spans_overlapping
from tests.unit.protocols.spans.drawn import judgment, major, minor, output


@pytest.mark.parametrize("ends", [(2, 2), (3, 1), (-1, 2), (None, 4), (4, None)])
def test_a_span_encloses_a_character_or_has_no_place(
    ends: tuple[int | None, int | None],
) -> None:
    with pytest.raises(ValueError, match="span"):
        Span(*ends, Severity.MINOR)


def test_missing_content_has_no_place() -> None:
    assert Span(None, None, Severity.MAJOR).is_missing_content
    assert not minor().is_missing_content


@pytest.mark.parametrize("score", [-1, 100.5])
def test_scores_are_between_0_and_100(score: float) -> None:
    with pytest.raises(ValueError, match="not between 0 and 100"):
        output("A", score)


def test_a_screen_shows_one_to_five_outputs_of_different_systems() -> None:
    with pytest.raises(ValueError, match="0 outputs"):
        judgment()
    with pytest.raises(ValueError, match="6 outputs"):
        judgment(*(output(name, 50) for name in "ABCDEF"))
    with pytest.raises(ValueError, match="two of the outputs"):
        judgment(output("A", 50), output("A", 60))


def test_name_with_line_breaks_is_refused() -> None:
    for segment in ("a\tb", "a\nb", " "):
        with pytest.raises(ValueError, match="name"):
            judgment(output("A", 50), segment=segment)


def test_a_judgment_does_not_end_before_it_starts() -> None:
    given = ("en", "de", "", "1", "ann", (output("A", 1),), None)
    assert ScoredJudgment(*given, 10.0, 10.0).ended_at == 10
    with pytest.raises(ValueError, match="ended before"):
        ScoredJudgment(*given, 10.0, 9.0)


def test_spans_that_share_characters_are_told() -> None:
    nested, crossing = [minor(0, 5), major(1, 3)], [minor(0, 3), major(2, 5)]
    beside = [minor(0, 2), major(2, 4), minor(None, None), minor(None, None)]
    assert spans_overlapping(nested) == spans_overlapping(crossing) == [(0, 1)]
    assert spans_overlapping(beside) == []
