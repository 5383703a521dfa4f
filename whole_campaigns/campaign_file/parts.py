"""Parts of a campaign file, with their places in it, and the files it names."""

import json
import pathlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, Final

from django.core.exceptions import ValidationError
from rest_framework import serializers
from rest_framework.serializers import ListSerializer, Serializer

from campaign.formats import FormatError
from campaign.formats.yaml_tree import Path, YamlTree
from campaign.importing.errors import ImportRefusedError
from campaign.models import Campaign, Task
from campaign.texts.refusals import RefusedError

#: The body of a resource, or a part of it: values by key.
Body = dict[str, Any]

_KEEP: Final = "change it in the file, or remove the key to keep the current value"
#: Keys that identify the items of a list.
NAMED_BY: Final = (
    "name",
    "pseudonym",
    "language",
    "measure",
    "segment",
    "note",
    "protocol",
)
#: Keys that several items may share; such items are identified by all of their values.
_SHARED: Final = ("measure", "note")
_NAMELESS: Final = "–"
_MOST_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class Owner:
    """The campaign or task that a part describes, for serializers in place of the view."""

    campaign: Campaign
    task: Task | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the file: a value and its place, and the campaign or task that it describes."""

    tree: YamlTree
    value: Any
    path: Path = ()
    owner: Owner | None = None

    def of(self, campaign: Campaign, task: Task | None = None) -> "Part":
        """Return this part as one of a campaign or task."""
        return replace(self, owner=Owner(campaign, task))

    def __contains__(self, key: str) -> bool:
        """Return whether the file has a key."""
        return key in self.value

    def __getitem__(self, key: str) -> "Part":
        """Return the part at a key; raise KeyError if it is missing."""
        return replace(self, value=self.value[key], path=(*self.path, key))

    def get(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, or the default."""
        return self.value.get(key, default)

    def name(self, key: str) -> str | None:
        """Return the name at a key, for looking up a row; None if there is none."""
        value = self.get(key)
        if isinstance(value, str | int):
            return str(value).strip()
        return None

    def items(self) -> Iterator["Part"]:
        """Return the items of a list."""
        for index, value in enumerate(self.value):
            yield replace(self, value=value, path=(*self.path, index))

    def items_of(self, key: str) -> Iterator["Part"]:
        """Return the items of an optional list."""
        if key in self:
            return self[key].items()
        return iter(())

    def validated(
        self,
        kind: type[Serializer[Any]],
        *,
        is_new: bool = False,
        now: Body | None = None,
    ) -> Body:
        """Return the values of this part as the serializer of a resource validates them.

        New parts must have the fields that REST requires, and get its defaults. Of others, fields with the same value
        as `now` are left out. Raises FormatError at the key of the first error.
        """
        fields = kind().fields
        sent = {name: value for name, value in self.value.items() if name in fields}
        if now is not None:
            sent = differing(now, sent)
        serializer = kind(data=sent, partial=not is_new, context={"view": self.owner})
        with self.refusals(fields=serializer):
            serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)

    def error(
        self,
        problem: str,
        remedy: str,
        *steps: str | int,
        kind: type[FormatError] = FormatError,
    ) -> FormatError:
        """Return an error at this place, or below it."""
        path = (*self.path, *steps)
        line = self.tree.line(path)
        field = path_in_words(self.tree.value, path)
        return kind(self.tree.name, problem, remedy, line=line, field=field or None)

    @contextmanager
    def refusals(
        self, key: str | None = None, *, fields: Serializer[Any] | None = None
    ) -> Iterator[None]:
        """Turn refusals of services and serializers into errors at this place, or at its key."""
        keys: Path = () if key is None else (key,)
        try:
            yield
        except RefusedError as error:
            is_known = isinstance(self.value, dict) and error.field in self.value
            own: Path = (error.field,) if is_known else ()
            raise self.error(_phrase(str(error)), _KEEP, *(keys or own)) from error
        except ImportRefusedError as error:
            raise self.error(error.problem, error.remedy, *keys) from error
        except ValidationError as error:
            raise self.error(_phrase(" ".join(error.messages)), _KEEP, *keys) from error
        except serializers.ValidationError as error:
            steps, detail = _first(error.detail)
            problem, remedy = _invalid(detail, steps, fields)
            raise self.error(problem, remedy, *keys, *steps) from error


def differing(now: Body, wanted: Body) -> Body:
    """Return the wanted values that differ from those of now."""
    return {
        name: each
        for name, each in wanted.items()
        if name not in now or now[name] != each
    }


def _first(detail: Any, path: Path = ()) -> tuple[Path, Any]:
    """Return the first error of a serializer, and its path."""
    if isinstance(detail, dict):
        key, inner = next(iter(detail.items()))
        return _first(inner, path if key == "non_field_errors" else (*path, key))
    if not isinstance(detail, list):
        return path, detail
    index, inner = next((index, inner) for index, inner in enumerate(detail) if inner)
    return _first(inner, (*path, index) if isinstance(inner, dict) else path)


def _invalid(detail: Any, path: Path, serializer: Any) -> tuple[str, str]:
    """Return the problem and the remedy of an error of a serializer."""
    if detail.code == "required":
        return f'the key "{path[-1]}" is missing', "add it"
    choices = getattr(_field_at(serializer, path), "choices", None)
    if detail.code == "invalid_choice" and choices:
        return _phrase(detail), f"choose one of: {', '.join(map(str, choices))}"
    return _phrase(detail), _KEEP


def _field_at(field: Any, path: Path) -> Any:
    for step in path:
        is_named = isinstance(field, Serializer)
        if is_named:
            field = field.fields.get(step)
        else:
            field = getattr(field, "child", None)
    return field


def _phrase(sentence: str) -> str:
    return str(sentence).rstrip(".")


def structure_check(part: Part, field: Any) -> None:
    """Raise FormatError unless the lists, mappings and keys of a part are those of a serializer, each name once."""
    if part.value is None and field.allow_null:
        return
    if isinstance(field, ListSerializer):
        _kind_check(part, list, "a list")
        for each in part.items():
            structure_check(each, field.child)
        _names_check(part)
    elif isinstance(field, Serializer):
        _kind_check(part, dict, "a mapping")
        known = {
            name: each for name, each in field.fields.items() if not each.read_only
        }
        for key in part.value:
            if key not in known:
                raise part.error(
                    f'the key "{key}" is unknown', _known_keys(key, list(known)), key
                )
            structure_check(part[key], known[key])


def _known_keys(key: str, known: list[str]) -> str:
    near = get_close_matches(key, known, n=1)
    if near:
        return f'write "{near[0]}"'
    return f"use only the keys {', '.join(known)}"


def _kind_check(part: Part, kind: type, words: str) -> None:
    if not isinstance(part.value, kind):
        shown = json.dumps(part.value, ensure_ascii=False)[:_MOST_SHOWN]
        raise part.error(f"{shown} is not {words}", f"write {words}")


def _names_check(part: Part) -> None:
    """Raise FormatError if two items of a list have the same name: the second would change the first."""
    lines: dict[str, int | None] = {}
    for each in part.items():
        key = named_by(each.value)
        name = name_of(each.value)
        if key == "language":
            name = name.casefold()
        if name in lines and key not in _SHARED:
            raise each.error(
                f'"{name}" already appears on line {lines[name]}', "keep one of them"
            )
        if name:
            lines[name] = part.tree.line(each.path)


def path_in_words(root: Any, path: Path) -> str:
    """Return a path with names of items in place of numbers: `tasks.newstest.design.kind`."""
    words = []
    value = root
    for step in path:
        if isinstance(step, int):
            if isinstance(value, list) and step < len(value):
                value = value[step]
            else:
                value = None
            words.append(name_of(value) or str(step + 1))
        else:
            if isinstance(value, dict):
                value = value.get(step)
            else:
                value = None
            words.append(step)
    return ".".join(words)


def name_of(item: Any) -> str:
    """Return the name of an item of a list; empty if it has none."""
    key = named_by(item)
    if not key:
        return ""
    return str(item[key]) or (_NAMELESS if key in _SHARED else "")


def named_by(item: Any) -> str:
    """Return the key that identifies an item of a list; empty if it has none."""
    if not isinstance(item, dict):
        return ""
    return next((key for key in NAMED_BY if isinstance(item.get(key), str | int)), "")


class MissingFileError(FormatError):
    """The campaign file names a file that does not exist."""


@dataclass(frozen=True, slots=True)
class TextFolders:
    """Folders to search for files: first that of the campaign file, then those of the command line."""

    folders: tuple[pathlib.Path, ...]

    @classmethod
    def of(
        cls, file: pathlib.Path, others: Sequence[pathlib.Path] = ()
    ) -> "TextFolders":
        """Return the folder of a campaign file and other folders, with links resolved."""
        return cls(
            tuple(folder.resolve() for folder in (file.absolute().parent, *others))
        )

    def path(self, part: Part, name: str, key: str) -> pathlib.Path:
        """Return the path of a file or folder.

        Raises MissingFileError if none of the folders has it, and FormatError for a path outside all of them, by
        `..`, by a link or from the root.
        """
        is_inside = False
        for folder in self.folders:
            try:
                path = (folder / name).resolve()
            except (OSError, ValueError, RuntimeError):
                continue
            if not path.is_relative_to(folder):
                continue
            is_inside = True
            if path.exists():
                return path
        if not is_inside:
            raise part.error(
                f'"{name}" is outside the folder of this file',
                "put the texts next to this file, or specify their folder with --texts",
                key,
            )
        folders = ", ".join(str(folder) for folder in self.folders)
        raise part.error(
            f'file "{name}" not found in {folders}',
            "put it there, or specify its folder with --texts",
            key,
            kind=MissingFileError,
        )
