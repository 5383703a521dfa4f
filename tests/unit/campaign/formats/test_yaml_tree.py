"""YAML is read as plain values, written back the same, and refused where it could be anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError
from campaign.formats.yaml_tree import MAX_BYTES, read_yaml, yaml_bytes

#: Characters that YAML folds, drops, escapes or gives a meaning.
_SPECIAL = st.sampled_from(
    "\x85\u2028\u2029\ufeff\xa0\n\t\r #:-'\"\\|>%@&*!?[]{},~\x01\x0b\x1b\x7f\x80\x9f\ufffe\U0001f600",
)
#: Texts that the database can hold: all but NUL and surrogates.
_TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0") | _SPECIAL,
    max_size=30,
)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(min_value=-(10**38), max_value=10**38)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS
    | st.sampled_from(
        ["no", "1e5", "007", "0x1", "1_0", "2027-05-01", "1:30", "null", "~", ".5"],
    )
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.dictionaries(_TEXTS, _VALUES, max_size=4))
def test_written_values_are_read_unchanged(value: dict[str, object]) -> None:
    written = yaml_bytes(value)
    assert read_yaml("f", written).value == value
    assert yaml_bytes(read_yaml("f", written).value) == written


def test_values_keep_their_line() -> None:
    tree = read_yaml("f", b"a: 1\nb:\n  - c: no\n  - d:\n      e: 2\n")
    assert tree.value == {"a": 1, "b": [{"c": "no"}, {"d": {"e": 2}}]}
    assert [tree.line(path) for path in [("a",), ("b", 0), ("b", 1, "d", "e")]] == [
        1,
        3,
        5,
    ]
    assert tree.line(("b", 1, "d", "not", "there")) == 4


def test_a_byte_order_mark_is_no_text() -> None:
    assert read_yaml("f", b"\xef\xbb\xbfslug: a").value == {"slug": "a"}


_BOMB = "\n".join(
    ["a: &a [x, x, x, x]"]
    + [
        f"{b}: &{b} [*{a}, *{a}, *{a}]"
        for a, b in zip("abcdefg", "bcdefgh", strict=True)
    ],
)


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"", None, "empty"),
        (b"# nothing", None, "empty"),
        (_BOMB.encode(), 1, "anchors"),
        (b"a: &x 1\nb: *x", 1, "anchors"),
        (b"a: 1\n<<: *x", 2, "anchors"),
        (b"a: !!python/object/apply:os.system [ls]", 1, "tag"),
        (b"!!python/name:os.system a: 1", 1, "tag|key"),
        (b"a: !!set {}", 1, "tag"),
        (b"a: ! 1", 1, "tag"),
        (b"!x {a: 1}", 1, "tag"),
        (b"a: 1\nb: 2\na: 3", 3, 'the key "a" already appears on line 1'),
        (b"a: {b: 1, b: 2}", 1, 'the key "b"'),
        (b"a:\n\t- b", 2, "invalid YAML"),
        (b"a: [1", None, "invalid YAML"),
        (b"{a: {b: 1}", None, "invalid YAML"),
        (b"%YAML 3.0\n---\na: 1", 1, "invalid YAML"),
        ("a: é".encode("latin-1"), 1, "UTF-8"),
        ("a: 1".encode("utf-16"), 1, "UTF-8"),
        (b"a: 1\n---\nb: 2", 2, "second document"),
        (b"? [a]\n: b", 1, "a key must be a word"),
        (b'a: "\\0"', 1, "control"),
        (b'"\\0": a', 1, "control"),
        (b'a: "\\ud800"', 1, "invalid YAML|control"),
        (b"a: \x00", None, "character"),
        (b"a: " + b"9" * 60, 1, "too large"),
        (b"a: 1e999", 1, "too large"),
        (b"[" * 100_000, 1, "too deeply"),
        (b"- " * 5_000, 1, "too deeply"),
        (b"a: " + b"x" * MAX_BYTES, None, "bytes"),
    ],
    ids=lambda each: each[:20].decode("latin-1") if isinstance(each, bytes) else None,
)
def test_hostile_files_are_refused(content: bytes, line: int | None, said: str) -> None:
    with pytest.raises(FormatError) as error:
        read_yaml("f", content)
    assert any(each in error.value.problem for each in said.split("|")), error.value
    if line is not None:
        assert error.value.line == line
    assert error.value.remedy


def test_merge_keys_are_words() -> None:
    assert read_yaml("f", b"<<: {a: 1}").value == {"<<": {"a": 1}}
