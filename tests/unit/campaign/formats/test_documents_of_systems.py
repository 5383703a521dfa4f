"""Names of segments in files whose documents are named after systems."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from campaign.formats.documents_of_systems import JudgedItem, SegmentOfAll, shared_names


@given(
    lengths=st.lists(st.integers(1, 4), min_size=1, max_size=4),
    systems=st.integers(2, 4),
    seed=st.integers(0, 1000),
)
def test_places_in_documents_are_found_from_places_in_a_batch(
    lengths: list[int],
    systems: int,
    seed: int,
) -> None:
    """Number the items of all documents of all systems through one batch, in any order of documents."""
    shown = [
        (document, f"S{n}") for document in range(len(lengths)) for n in range(systems)
    ]
    Random(seed).shuffle(shown)
    expected: dict[JudgedItem, SegmentOfAll] = {}
    number = 1
    for document, system in shown:
        for position in range(1, lengths[document] + 1):
            item = JudgedItem("judge", system, f"d{document}#{system}", str(number))
            name = f"d{document}"
            expected[item] = SegmentOfAll(
                name,
                f"{name}_#_{position}",
                lengths[document],
            )
            number += 1
    names = shared_names(expected)
    assert names.segments == expected
    assert (names.documents, names.placed, names.apart) == (
        len(shown),
        True,
        frozenset(),
    )


def _items(*rows: tuple[str, str, str]) -> list[JudgedItem]:
    return [
        JudgedItem(judge, document.rpartition("#")[2], document, number)
        for judge, document, number in rows
    ]


def test_parts_of_a_document_that_two_judges_saw_stay_apart() -> None:
    whole = _items(("ann", "d#A", "7"), ("ann", "d#A", "8"), ("ann", "d#A", "9"))
    parts = _items(("ann", "d#B", "99"), ("ann", "d#B", "100"), ("bea", "d#B", "1"))
    names = shared_names([*whole, *parts])
    assert list(names.segments.values()) == [
        ("d", f"d_#_{position}", 3) for position in (1, 2, 3)
    ]
    assert names.apart == frozenset(parts)


def test_numbers_through_the_test_set_are_kept_where_systems_were_judged_in_part() -> (
    None
):
    rows = [
        ("ann", "d#A", "1"),
        ("ann", "d#A", "2"),
        ("ann", "d#B", "2"),
        ("ann", "d#B", "3"),
    ]
    items = _items(*rows, ("ann", "e#A", "4"), ("ann", "e#B", "4"))
    names = shared_names(items)
    assert [names.segments[item] for item in items] == [
        *(("d", number, None) for number in ("1", "2", "2", "3")),
        *(("e", "4", None), ("e", "4", None)),
    ]
    assert not names.placed


def test_system_may_have_a_prefix_that_the_document_lacks() -> None:
    items = [
        JudgedItem("ann", f"wmt23.{system}", f"d#{system}", "1") for system in "AB"
    ]
    assert set(shared_names(items).segments.values()) == {("d", "1", None)}


def test_documents_that_are_not_named_after_their_system_are_kept() -> None:
    named = _items(("ann", "d#A", "1"), ("ann", "d#B", "1"))
    assert shared_names(named[:1]).segments == {}
    for document in ("d", "#B", "d#1-10", "d#A"):
        others = JudgedItem("ann", "B", document, "1")
        assert shared_names([*named, others]).segments == {}
    assert shared_names([*named, JudgedItem("ann", "", "d#A", "1")]).segments == {}
