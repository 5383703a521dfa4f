"""Which language pair of a file is read: the one there is, or the one that was chosen."""

from typing import Final

from campaign.formats.errors import Place

_UNKNOWN: Final = ""  # a file that does not say a language may have any


class PairChoice:
    """Takes one language pair of a file and refuses to guess among several.

    Without `chosen` the first pair is taken, and any other makes `finish` raise. With it, what
    `chosen` names is taken: "de" and the file's "de_DE" stand for each other, as long as
    one pair only fits. Memory grows with the pairs.
    """

    def __init__(self, file: str, chosen: tuple[str, str] | None) -> None:
        self._file = file
        self._chosen = chosen
        self._lines: dict[tuple[str, str], int] = {}
        self._taken: tuple[str, str] | None = None

    def takes(self, source: str, target: str, line: int) -> bool:
        """Tell whether what stands in `line` is of the pair that is read."""
        pair = (source, target)
        if self._taken is not None and _fits(pair, self._taken):
            return True
        self._lines.setdefault(pair, line)
        if self._chosen is not None and not matches(pair, self._chosen):
            return False
        if self._taken is None:
            self._taken = pair
            return True
        return False

    @property
    def taken(self) -> tuple[str, str] | None:
        """The pair that is read, as the file writes it; None before the first."""
        return self._taken

    @property
    def undecided(self) -> bool:
        """Whether the file has turned out to hold several pairs among which nothing chooses."""
        return sum(self._chosen is None or matches(p, self._chosen) for p in self._lines) > 1

    def finish(self) -> None:
        """Raise FormatError where no pair was taken, or several could have been."""
        fitting = [p for p in self._lines if self._chosen is None or matches(p, self._chosen)]
        if len(fitting) > 1:
            first, second = fitting[:2]
            raise Place(self._file, self._lines[second]).error(
                f"the file holds several language pairs: {_listed(fitting)}; "
                f"{_named(first)} begins on line {self._lines[first]}",
                "choose one of them, written as the file writes it",
            )
        if self._chosen is not None and self._lines and not fitting:
            raise Place(self._file, min(self._lines.values())).error(
                f"the file has nothing for {_named(self._chosen)}, but {_listed(list(self._lines))}",
                "choose one of the pairs that are there, written as the file writes it",
            )


def _fits(pair: tuple[str, str], taken: tuple[str, str]) -> bool:
    return all(here in {_UNKNOWN, there} for here, there in zip(pair, taken, strict=True))


def matches(pair: tuple[str, str], chosen: tuple[str, str]) -> bool:
    """Tell whether a pair of a file is the chosen one: "de" and "de_DE" stand for each other."""
    return all(
        there == _UNKNOWN
        or all(a == b for a, b in zip(_parts(there), _parts(wanted), strict=False))
        for there, wanted in zip(pair, chosen, strict=True)
    )


def _parts(tag: str) -> list[str]:
    return tag.lower().replace("_", "-").split("-")


def _named(pair: tuple[str, str]) -> str:
    return f"{pair[0] or '?'}-{pair[1] or '?'}"


def _listed(pairs: list[tuple[str, str]]) -> str:
    return ", ".join(sorted(_named(pair) for pair in pairs))
