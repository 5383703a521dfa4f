"""Planted and withheld suggestions cannot be told from what a judge knows: public code, texts, numbers and what is shown."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest

from campaign.texts.hash_draw import HashDraw
from protocols.spans.planting import StartDraws
from protocols.spans.records import Severity, Span, Start
from protocols.spans.rules import rules_complete

RULES = rules_complete(
    {
        "severities": ["minor", "major", "critical"],
        "categories": ["Accuracy: Addition, Omission", "Fluency: Grammar"],
    },
)
WORDS = ("Haus", "geht", "schnell,", "»nie«", "don't", "12", "überall.", "ab-", "हिन्दी")
SECRET = 2**100 + 7
OUTPUTS = 2_500

Text = tuple[str, Sequence[Span]]


@pytest.fixture(scope="module")
def texts() -> list[Text]:
    """Return texts of eight to twenty words with errors of one to three words, half of them ending inside a word or a sign."""
    random = Random(8)
    texts: list[Text] = []
    for _number in range(OUTPUTS):
        words = random.choices(WORDS, k=random.randint(8, 20))
        text = " ".join(words)
        spans = []
        if random.random() < 0.6:
            first = random.randrange(len(words))
            last = min(len(words), first + random.randint(1, 3))
            start = len(" ".join([*words[:first], ""]))
            end = len(" ".join(words[:last])) - random.randint(0, 1)
            severity, category = random.choice(
                [
                    (Severity.MINOR, "Fluency/Grammar"),
                    (Severity.MINOR, "Fluency/Grammar"),
                    (Severity.MAJOR, "Accuracy/Addition"),
                ],
            )
            spans = [Span(start, end, severity, category)]
        texts.append((text, spans))
    return texts


@pytest.fixture(scope="module")
def starts(texts: list[Text]) -> list[Start]:
    draws = StartDraws(RULES, texts, withheld=20, planted=30, seed=SECRET)
    return [
        draws.start(segment, text, spans)
        for segment, (text, spans) in enumerate(texts, 1)
    ]


def split(starts: list[Start]) -> tuple[list[tuple[int, Span]], list[tuple[int, Span]]]:
    """Return planted and other errors, with the places of their texts."""
    planted = []
    others = []
    for place, start in enumerate(starts):
        for number, span in enumerate(start.spans):
            if number == start.planted:
                planted.append((place, span))
            else:
                others.append((place, span))
    return planted, others


def shares(values: Sequence[object]) -> dict[object, float]:
    counted = Counter(values)
    return {value: count / len(values) for value, count in counted.items()}


def test_public_code_text_and_number_predict_no_better_than_chance(
    texts: list[Text],
    starts: list[Start],
) -> None:
    """An attacker draws as the published code does, but without the seed."""
    for guess in (0, 1, 2**64):
        guessed = StartDraws(RULES, texts, withheld=20, planted=30, seed=guess)
        right = Counter[str]()
        for segment, (text, spans) in enumerate(texts, 1):
            start = starts[segment - 1]
            mine = guessed.start(segment, text, spans)
            right["withheld"] += mine.is_shown is start.is_shown
            right["planted"] += (mine.planted is None) is (start.planted is None)
            drawn = HashDraw(seed=guess, number=segment, scheme="suggestions")
            before = drawn.below(100, "withheld", text) >= 20
            right["as before"] += before is start.is_shown
        by_chance = {"withheld": 0.68, "planted": 0.58, "as before": 0.68}
        for name, share in by_chance.items():
            assert right[name] / OUTPUTS == pytest.approx(share, abs=0.04), name


def test_severity_and_category_do_not_separate_planted_errors(
    starts: list[Start],
) -> None:
    planted, others = split(starts)
    assert len(planted) > OUTPUTS / 5
    named_planted = shares([(span.severity, span.category) for _place, span in planted])
    named_others = shares([(span.severity, span.category) for _place, span in others])
    assert named_planted.keys() == named_others.keys()
    for name, share in named_others.items():
        assert named_planted[name] == pytest.approx(share, abs=0.05)


def test_planted_errors_begin_and_end_like_others(
    texts: list[Text],
    starts: list[Start],
) -> None:
    """Whole words, parts of words, signs and numbers are marked as often."""
    looks = []
    for part in split(starts):
        of_part = []
        for place, span in part:
            text = texts[place][0]
            marked = text[span.start : span.end]
            after = text[span.end : (span.end or 0) + 1]
            of_part.append((marked.count(" "), marked[-1].isalpha(), after.isalpha()))
        looks.append(shares(of_part))
    planted, others = looks
    # Long ones find no place in short texts, for which other shapes are drawn.
    for look in planted | others:
        share = others.get(look, 0)
        assert planted.get(look, 0) == pytest.approx(share, abs=0.08), look


def test_planted_errors_overlap_no_other_and_are_in_order(starts: list[Start]) -> None:
    for start in starts:
        places = [(span.start, span.end) for span in start.spans]
        assert places == sorted(places)
        for (_start, end), (next_start, _end) in pairwise(places):
            assert (end or 0) <= (next_start or 0)


def test_errors_are_in_order_where_none_is_planted() -> None:
    spans = [
        Span(None, None, Severity.MAJOR),
        Span(9, 12, Severity.MINOR),
        Span(0, 4, Severity.MINOR),
    ]
    draws = StartDraws(RULES, [], withheld=0, planted=0, seed=SECRET)
    start = draws.start(1, "eins zwei drei", spans)
    assert [span.start for span in start.spans] == [0, 9, None]


def test_all_severities_and_categories_are_planted_where_nothing_is_suggested() -> None:
    texts: list[Text] = [(f"Haus {number}", []) for number in range(300)]
    draws = StartDraws(RULES, texts, withheld=0, planted=100, seed=SECRET)
    planted = Counter[tuple[str, str]]()
    for segment, (text, spans) in enumerate(texts):
        [span] = draws.start(segment, text, spans).spans
        planted[span.severity, span.category] += 1
    assert len(planted) == 3 * 3
    assert min(planted.values()) > 300 / 9 / 2


def test_planted_errors_of_scripts_without_spaces_have_the_length_of_others() -> None:
    text = "我们明天去北京看老朋友"
    spans = [Span(2, 4, Severity.MINOR)]
    draws = StartDraws(RULES, [(text, spans)], withheld=0, planted=100, seed=SECRET)
    lengths = set()
    for segment in range(20):
        start = draws.start(segment, text, spans)
        assert start.planted is not None
        wrong = start.spans[start.planted]
        lengths.add((wrong.end or 0) - (wrong.start or 0))
    assert lengths == {2}
