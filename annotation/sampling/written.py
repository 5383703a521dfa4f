"""Parameters of a design as people write them: "1,4-7" and "30:3"."""

from collections.abc import Sequence


class WrittenWrongError(ValueError):
    """A part of what was written cannot be read."""

    def __init__(self, part: str) -> None:
        super().__init__(part)
        self.part = part


def numbers_read(text: str) -> list[int]:
    """Return the numbers of "1,4-7", ascending and each once; none for "" and "all".

    Raises
    ------
    WrittenWrongError
        If a part is neither a number nor a range that begins at 1 or later.
    """
    if text.strip() in ("", "all"):
        return []
    numbers: set[int] = set()
    for part in text.split(","):
        first, _dash, last = part.strip().replace("–", "-").partition("-")
        try:
            start, end = int(first), int(last or first)
        except ValueError:
            raise WrittenWrongError(part.strip()) from None
        # A million is more than any test set has; longer ranges would only fill the memory.
        if not 1 <= start <= end <= 1_000_000:
            raise WrittenWrongError(part.strip())
        numbers.update(range(start, end + 1))
    return sorted(numbers)


def numbers_written(numbers: Sequence[int]) -> str:
    """Return numbers as `numbers_read` reads them."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][-1] == number - 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ", ".join("-".join(str(each) for each in part) for part in parts)


def limits_read(text: str) -> list[list[int]]:
    """Return the pairs of words and candidates of "30:3, 50:2"; none for "" and "none".

    Raises
    ------
    WrittenWrongError
        If a part is no such pair.
    """
    if text.strip() in ("", "none"):
        return []
    limits = []
    for part in text.split(","):
        words, _colon, size = part.partition(":")
        try:
            limits.append([int(words), int(size)])
        except ValueError:
            raise WrittenWrongError(part.strip()) from None
    return limits


def limits_written(limits: Sequence[Sequence[int]]) -> str:
    """Return limits as `limits_read` reads them."""
    return ", ".join(f"{words}:{size}" for words, size in limits)
