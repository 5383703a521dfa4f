"""Parts of a campaign file, with their places in it, and the files it names."""

import json
import pathlib
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, Final

from django.core.exceptions import ValidationError
from rest_framework import serializers
from rest_framework.serializers import ListSerializer, Serializer

from campaign.formats import FormatError
from campaign.formats.yaml_tree import Path, YamlTree
from campaign.importing.errors import ImportRefusedError
from campaign.models import Campaign, Task, User
from campaign.texts.languages import LanguageTagError, language_tag_checked
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
class NewLink:
    """A new link: its note, and its token, which is stored nowhere."""

    note: str
    token: str


@dataclass(slots=True)
class Run:
    """The application of a file.

    Attributes
    ----------
    by : User or None
        User who applies the file; None for a command without a user.
    folders : TextFolders or None
        Folders with the texts; None if only the file itself is available.
    is_new : bool
        Whether the file creates the campaign.
    notes : list of str
        Sentences about further consequences.
    links : list of NewLink
    """

    by: User | None
    folders: "TextFolders | None"
    is_new: bool = False
    notes: list[str] = field(default_factory=list)
    links: list[NewLink] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Owner:
    """The campaign or task that a part describes, and who applies the file, for serializers in place of the view."""

    campaign: Campaign
    task: Task | None
    user: User | None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the file: a value and its place, and the campaign or task that it describes."""

    tree: YamlTree
    value: Any
    run: Run
    path: Path = ()
    owner: Owner | None = None

    def of(self, campaign: Campaign, task: Task | None = None) -> "Part":
        """Return this part as one of a campaign or task."""
        return replace(self, owner=Owner(campaign, task, self.run.by))

    @property
    def context(self) -> dict[str, Any]:
        """The context of serializers."""
        return {"view": self.owner}

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

    def validated(
        self,
        kind: type[Serializer[Any]],
        names: Iterable[str] | None = None,
        *,
        is_new: bool = False,
        now: Body | None = None,
    ) -> Body:
        """Return the values of this part as the serializer of a resource validates them.

        New parts must have the fields that REST requires, and get its defaults.

        Parameters
        ----------
        kind : type of Serializer
        names : iterable of str, optional
            Fields to validate; all by default.
        is_new : bool
        now : dict, optional
            Current values. Fields with the same value are left out.

        Raises FormatError at the key of the first error.
        """
        fields: Set[str] = kind().fields.keys()
        if names is not None:
            fields = fields & set(names)
        sent = {name: self.value[name] for name in self.value if name in fields}
        if now is not None:
            sent = differing(now, sent)
        serializer = kind(data=sent, partial=not is_new, context=self.context)
        for name in serializer.fields.keys() - fields:
            serializer.fields.pop(name)
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
        self,
        key: str | None = None,
        *,
        fields: Serializer[Any] | None = None,
    ) -> Iterator[None]:
        """Turn refusals of services and serializers into errors at this place, or at its key."""
        keys: Path = ()
        if key is not None:
            keys = (key,)
        try:
            yield
        except RefusedError as error:
            if not keys and isinstance(self.value, dict) and error.field in self.value:
                keys = (error.field,)
            raise self.error(_phrase(str(error)), _KEEP, *keys) from error
        except ImportRefusedError as error:
            raise self.error(error.problem, error.remedy, *keys) from error
        except ValidationError as error:
            raise self.error(_phrase(" ".join(error.messages)), _KEEP, *keys) from error
        except serializers.ValidationError as error:
            steps, detail = _first(error.detail)
            problem, remedy = _invalid(detail, steps, fields)
            raise self.error(problem, remedy, *keys, *steps) from error


def differing(now: Body, target: Body) -> Body:
    """Return the wanted values that differ from those of now."""
    different = {}
    for name, value in target.items():
        if name not in now or now[name] != value:
            different[name] = value
    return different


def _first(detail: Any, path: Path = ()) -> tuple[Path, Any]:
    """Return the first error of a serializer, and its path."""
    if isinstance(detail, dict):
        key, inner = next(iter(detail.items()))
        if key != "non_field_errors":
            path = (*path, key)
        return _first(inner, path)
    if not isinstance(detail, list):
        return path, detail
    index = next(index for index, inner in enumerate(detail) if inner)
    inner = detail[index]
    if isinstance(inner, dict):
        path = (*path, index)
    return _first(inner, path)


def _invalid(detail: Any, path: Path, serializer: Any) -> tuple[str, str]:
    """Return the problem and the remedy of an error of a serializer."""
    if detail.code == "required":
        return f'the key "{path[-1]}" is missing', "add it"
    field = _field_at(serializer, path)
    if detail.code == "null" and isinstance(field, serializers.CharField):
        return _phrase(detail), f"quote it if it is text; otherwise {_KEEP}"
    choices = getattr(field, "choices", None)
    if detail.code == "invalid_choice" and choices:
        return _phrase(detail), f"choose one of: {', '.join(map(str, choices))}"
    return _phrase(detail), _KEEP


def _field_at(field: Any, path: Path) -> Any:
    for step in path:
        if isinstance(field, Serializer):
            field = field.fields.get(str(step))
        else:
            field = getattr(field, "child", None)
    return field


def _phrase(sentence: str) -> str:
    return str(sentence).rstrip(".")


def value_as_written(tree: YamlTree, field: Any, path: Path = ()) -> Any:
    """Return the value at a path with unquoted numbers, true and false as they are written wherever a field takes text.

    `field` is the serializer or field of the value. Values that no field describes stay as they are.
    """
    value: Any = tree.value
    for step in path:
        value = value[step]
    if isinstance(value, list):
        child = getattr(field, "child", None)
        return [
            value_as_written(tree, child, (*path, index)) for index in range(len(value))
        ]
    if isinstance(value, dict):
        values = {}
        for key in value:
            values[key] = value_as_written(tree, _field_at(field, (key,)), (*path, key))
        return values
    if isinstance(field, serializers.CharField):
        return tree.written.get(path, value)
    return value


def structure_check(part: Part, field: Any) -> None:
    """Raise FormatError unless the lists, mappings and keys of a part are those of a serializer, each name once."""
    if part.value is None and field.allow_null:
        return
    if isinstance(field, ListSerializer):
        _kind_check(part, list, "a list")
        for item in part.items():
            structure_check(item, field.child)
        _names_check(part, field.child)
    elif isinstance(field, Serializer):
        _kind_check(part, dict, "a mapping")
        keys = [key for key, below in field.fields.items() if not below.read_only]
        for key in part.value:
            if key not in keys:
                remedy = _key_remedy(key, keys)
                raise part.error(f'the key "{key}" is unknown', remedy, key)
            structure_check(part[key], field.fields[key])


def _key_remedy(key: str, keys: list[str]) -> str:
    near = get_close_matches(key, keys, n=1)
    if near:
        return f'write "{near[0]}"'
    return f"use only the keys {', '.join(keys)}"


def _kind_check(part: Part, kind: type, description: str) -> None:
    if not isinstance(part.value, kind):
        value = json.dumps(part.value, ensure_ascii=False)[:_MOST_SHOWN]
        raise part.error(f"{value} is not {description}", f"write {description}")


def _names_check(part: Part, field: Any) -> None:
    """Raise FormatError if the names of two items of a list mean one thing: the second would change the first.

    `field` is the serializer of the items.
    """
    earlier: dict[object, Part] = {}
    for item in part.items():
        key = named_by(item.value)
        if not key or key in _SHARED:
            continue
        meaning = _meaning_of_name(item.value[key], field, key)
        if meaning in earlier:
            raise item.error(_name_again(item, earlier[meaning]), "keep one of them")
        earlier[meaning] = item


def _name_again(item: Part, earlier: Part) -> str:
    name = name_of(item.value)
    line = earlier.tree.line(earlier.path)
    if name_of(earlier.value) == name:
        return f'"{name}" already appears on line {line}'
    return f'"{name}" means the same as "{name_of(earlier.value)}" on line {line}'


def _meaning_of_name(name: Any, field: Any, key: str) -> object:
    """Return what a name means to the serializer of an item; the name itself if it is invalid, and refused later."""
    try:
        meaning = field.fields[key].run_validation(name)
        if key == "language":
            return language_tag_checked(meaning)
    except (serializers.ValidationError, LanguageTagError):
        return name
    name_key = getattr(field, "name_key", None)
    if name_key is not None:
        return name_key(meaning)
    return meaning


def path_in_words(root: Any, path: Path) -> str:
    """Return a path with names of items in place of numbers: `tasks.newstest.design.kind`."""
    names = []
    value = root
    for step in path:
        value = _below(value, step)
        if isinstance(step, int):
            names.append(name_of(value) or str(step + 1))
        else:
            names.append(step)
    return ".".join(names)


def _below(value: Any, step: str | int) -> Any:
    """Return a value of a mapping or list; None if there is none."""
    try:
        return value[step]
    except (KeyError, IndexError, TypeError):
        return None


def name_of(item: Any) -> str:
    """Return the name of an item of a list; empty if it has none."""
    key = named_by(item)
    if not key:
        return ""
    name = str(item[key])
    if not name and key in _SHARED:
        return _NAMELESS
    return name


def named_by(item: Any) -> str:
    """Return the key that identifies an item of a list; empty if it has none."""
    if isinstance(item, dict):
        for key in NAMED_BY:
            if isinstance(item.get(key), str | int | float):
                return key
    return ""


class MissingFileError(FormatError):
    """The campaign file names a file that does not exist."""


@dataclass(frozen=True, slots=True)
class TextFolders:
    """Folders to search for files: first that of the campaign file, then those of the command line."""

    folders: tuple[pathlib.Path, ...]

    @classmethod
    def of(
        cls,
        file: pathlib.Path,
        others: Sequence[pathlib.Path] = (),
    ) -> "TextFolders":
        """Return the folder of a campaign file and other folders, with links resolved."""
        folders = [file.absolute().parent, *others]
        return cls(tuple(map(pathlib.Path.resolve, folders)))

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
        folders = ", ".join(map(str, self.folders))
        raise part.error(
            f'file "{name}" not found in {folders}',
            "put it there, or specify its folder with --texts",
            key,
            kind=MissingFileError,
        )
