"""The glossary is in alphabetical order, each word in two lines and once."""

from launcher.data_directory import CHECKOUT

ENTRIES = [
    entry
    for entry in (CHECKOUT / "docs" / "glossary.md").read_text().strip().split("\n\n")
    if entry.startswith("**")
]
WORDS = [entry.removeprefix("**").partition("**")[0] for entry in ENTRIES]


def test_words_are_in_alphabetical_order() -> None:
    assert sorted(WORDS, key=str.lower) == WORDS


def test_each_word_stands_once_in_at_most_two_lines() -> None:
    assert len(set(WORDS)) == len(WORDS) > 50
    long = [word for word, entry in zip(WORDS, ENTRIES, strict=True) if entry.count("\n") > 1]
    assert long == []
