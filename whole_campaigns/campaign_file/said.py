"""Content of a campaign file: parts with their lines, and the files named in it."""

import pathlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_datetime

from campaign.formats import FormatError
from campaign.formats.yaml_tree import Path, YamlTree
from campaign.importing.errors import ImportRefusedError
from campaign.refusals import RefusedError
from campaign.texts.languages import language_tags_checked

_KEEP: Final = "change it in the file, or remove the key to keep the current value"
#: Keys that identify the items of a list.
NAMED_BY: Final = ("name", "pseudonym", "language", "measure", "segment", "note", "protocol")
#: Keys that several items may share; such items are identified by all of their values.
_SHARED: Final = ("measure", "note")
_NAMELESS: Final = "–"


@dataclass(frozen=True, slots=True)
class Said:
    """A part of the file: a value and its place."""

    tree: YamlTree
    value: Any
    path: Path = ()

    def __contains__(self, key: str) -> bool:
        """Return whether the file has a key."""
        return key in self.value

    def __getitem__(self, key: str) -> "Said":
        """Return the part at a key; raise KeyError if it is missing."""
        return Said(self.tree, self.value[key], (*self.path, key))

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default."""
        return self.value.get(key, default)

    def items(self) -> Iterator["Said"]:
        """Return the items of a list."""
        for place, value in enumerate(self.value):
            yield Said(self.tree, value, (*self.path, place))

    def items_of(self, key: str) -> Iterator["Said"]:
        """Return the items of an optional list."""
        return self[key].items() if key in self else iter(())

    def only(self, names: Mapping[str, Any] | tuple[str, ...]) -> dict[str, Any]:
        """Return the values of these keys that are in the file."""
        return {name: self.value[name] for name in names if name in self.value}

    def moment(self, key: str) -> datetime | None:
        """Return the time at a key; None for null. Raises FormatError for a time without a time zone."""
        text = self.get(key)
        if text is None:
            return None
        try:
            moment = parse_datetime(text)
        except ValueError:
            moment = None
        if moment is None or moment.tzinfo is None:
            raise self.error(
                f'"{text}" is not a time with a time zone', "write 2027-05-01T18:00:00Z", key
            )
        return moment

    def with_languages(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Return the values like `only`, with canonical tags in `languages`."""
        wanted = self.only(names)
        if "languages" in wanted:
            with self.refusals("languages"):
                wanted["languages"] = language_tags_checked(wanted["languages"])
        return wanted

    def require(self, keys: Iterable[str], what: str) -> None:
        """Raise FormatError if a new item lacks one of these keys."""
        for key in keys:
            if key not in self:
                raise self.error(f'a new {what} requires "{key}"', "add the key", key)

    def error(self, problem: str, remedy: str, key: str | None = None) -> FormatError:
        """Return an error at this place, or at one of its keys."""
        path = (*self.path, key) if key is not None and key in self.value else self.path
        field = path_in_words(self.tree.value, (*self.path, *([key] if key else [])))
        return FormatError(
            self.tree.name, problem, remedy, line=self.tree.line(path), field=field or None
        )

    @contextmanager
    def refusals(self, key: str | None = None) -> Iterator[None]:
        """Turn refusals of services into errors at this place."""
        try:
            yield
        except RefusedError as error:
            at = key or error.field
            is_known = isinstance(self.value, dict) and at in self.value
            raise self.error(_phrase(str(error)), _KEEP, at if is_known else None) from error
        except ImportRefusedError as error:
            raise self.error(error.problem, error.remedy, key) from error
        except ValidationError as error:
            raise self.error(_phrase(" ".join(error.messages)), _KEEP, key) from error


def path_in_words(root: Any, path: Path) -> str:
    """Return a path with names of items in place of numbers: `tasks.newstest.design.kind`."""
    words, value = [], root
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
            words.append(name_of(value) or str(step + 1))
        else:
            value = value.get(step) if isinstance(value, dict) else None
            words.append(step)
    return ".".join(words)


def name_of(item: Any) -> str:
    """Return the name of an item of a list; empty if it has none."""
    key = named_by(item)
    return str(item[key]) or (_NAMELESS if key in _SHARED else "") if key else ""


def is_only_one(item: Any) -> bool:
    """Return whether the name of an item must be unique in its list."""
    return named_by(item) not in _SHARED


def named_by(item: Any) -> str:
    """Return the key that identifies an item of a list; empty if it has none."""
    if not isinstance(item, dict):
        return ""
    return next((key for key in NAMED_BY if isinstance(item.get(key), str | int)), "")


def _phrase(sentence: str) -> str:
    return sentence.rstrip(".")


@dataclass(frozen=True, slots=True)
class TextFolders:
    """Folders to search for files: first that of the campaign file, then those of the command line."""

    folders: tuple[pathlib.Path, ...]

    @classmethod
    def of(cls, file: pathlib.Path, others: Sequence[pathlib.Path] = ()) -> "TextFolders":
        """Return the folder of a campaign file and other folders, with links resolved."""
        return cls(tuple(folder.resolve() for folder in (file.absolute().parent, *others)))

    def found(self, said: Said, name: str, key: str | None = None) -> pathlib.Path | None:
        """Return the path of a file or folder; None if none of the folders has it.

        Raises FormatError for a path outside all of them, by `..`, by a link or from the root.
        """
        inside = False
        for folder in self.folders:
            try:
                path = (folder / name).resolve()
            except (OSError, ValueError, RuntimeError):
                continue
            if not path.is_relative_to(folder):
                continue
            inside = True
            if path.exists():
                return path
        if not inside:
            raise said.error(
                f'"{name}" is outside the folder of this file',
                "put the texts next to this file, or specify their folder with --texts",
                key,
            )
        return None

    def needed(self, said: Said, name: str, key: str | None = None) -> pathlib.Path:
        """Return the path of a file or folder. Raises FormatError if it is missing or outside."""
        path = self.found(said, name, key)
        if path is None:
            where = ", ".join(str(folder) for folder in self.folders)
            raise said.error(
                f'file "{name}" not found in {where}',
                "put it there, or specify its folder with --texts",
                key,
            )
        return path


def tags_checked(tags: Iterable[str]) -> list[str]:
    """Return the distinct lowercase tags, sorted and without empty ones."""
    return sorted({tag.strip().lower() for tag in tags if tag.strip()})
