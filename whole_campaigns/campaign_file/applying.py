"""Write a campaign as a file, and apply a file to a campaign."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from hashlib import sha256
from os.path import commonprefix
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.formats.isolation import isolated
from campaign.formats.yaml_tree import read_yaml, yaml_bytes
from campaign.models import Campaign, CampaignState, Protocol, Task, User
from campaign.selectors.credentials import organisers_of_quintet
from campaign.services.campaigns import campaign_create
from whole_campaigns.campaign_file.said import Said, TextFolders, name_of, named_by
from whole_campaigns.campaign_file.schema import VERSION, schema_check
from whole_campaigns.campaign_file.sections import SECTIONS, NewLink, Run

_SHOWN: Final = 60
_CONTEXT: Final = 15
#: Keys that withdraw an item if true.
_ENDING: Final = ("withdrawn", "closed", "switched_off")


class ChangeKind(StrEnum):
    """Kind of change; the value is its mark."""

    ADDED = "+"
    CHANGED = "~"
    WITHDRAWN = "−"


@dataclass(frozen=True, slots=True)
class Change:
    """A changed part of a campaign, with `before` and `after` in words."""

    kind: ChangeKind
    path: str
    before: str = ""
    after: str = ""

    @property
    def words(self) -> str:
        """The change as one line."""
        said = f"{self.kind} {self.path}"
        if self.before or self.kind is not ChangeKind.ADDED:
            return f"{said}: {self.before} → {self.after}"
        return f"{said}: {self.after}" if self.after else said


def differences(before: Any, after: Any) -> list[Change]:
    """Return all changes between two values, in the order of the second."""
    return list(_differences(before, after, ""))


def _differences(before: Any, after: Any, path: str) -> Iterator[Change]:
    if before == after:
        return
    if _has_names(before) and _has_names(after):
        before, after = _by_name(before, after)
    if not (isinstance(before, dict) and isinstance(after, dict)):
        first, second = _both(before, after)
        is_over = path.rpartition(" › ")[2] in _ENDING and after is True
        yield Change(ChangeKind.WITHDRAWN if is_over else ChangeKind.CHANGED, path, first, second)
        return
    for key, value in after.items():
        if key in before:
            yield from _differences(before[key], value, _place(path, key))
        else:
            yield from _added(value, _place(path, key))
    for key, value in before.items():
        place = _place(path, key)
        if key not in after and _has_names(value):
            for item in value:
                yield Change(ChangeKind.WITHDRAWN, _place(place, name_of(item)), _plain(item), "–")
        elif key not in after:
            said = _plain(value) if isinstance(key, tuple) else _words(value)
            yield Change(ChangeKind.WITHDRAWN, place, said, "–")


def _by_name(before: list[Any], after: list[Any]) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return two lists as mappings by name, with a number for shared names, and without equal items."""
    left: list[Any] = list(before)
    others: list[Any] = []
    for item in after:
        (left.remove if item in left else others.append)(item)
    return _numbered(left), _numbered(others)


def _numbered(items: list[Any]) -> dict[tuple[str, int], Any]:
    names = [name_of(item) for item in items]
    return {(name, names[:at].count(name)): items[at] for at, name in enumerate(names)}


def _place(path: str, key: Any) -> str:
    name = key[0] if isinstance(key, tuple) else key
    return f"{path} › {name}" if path else name


def _added(value: Any, path: str) -> Iterator[Change]:
    """Yield one line for an added part, and more for its nested lists."""
    if isinstance(value, dict):
        yield Change(ChangeKind.ADDED, path, "", _plain(value))
        for key, each in value.items():
            if isinstance(each, dict) or _has_names(each):
                yield from _added(each, f"{path} › {key}")
    elif _has_names(value):
        for item in value:
            yield from _added(item, f"{path} › {name_of(item)}")
    elif value not in (None, [], "", {}):
        yield Change(ChangeKind.ADDED, path, "", _words(value))


def _has_names(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(name_of(item) for item in value)


def _plain(item: dict[str, Any]) -> str:
    """Return the simple values of an item in one line, without empty ones and its name."""
    said = [
        f"{key}: {_words(value)}"
        for key, value in item.items()
        if value not in (None, [], "", {}, False)
        and key != named_by(item)
        and not isinstance(value, dict)
        and not _has_names(value)
    ]
    return ", ".join(said)


def _words(value: Any, start: int = 0) -> str:
    if value is None or value in ([], ""):
        return "–"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        value = [f"{key}: {each}" for key, each in value.items()]
    text = ", ".join(_words(each) for each in value) if isinstance(value, list) else str(value)
    text = " ".join(text.split()) if not start else text
    shown = text[start : start + _SHOWN]
    return f"{'…' if start else ''}{shown}{'…' if start + _SHOWN < len(text) else ''}"


def _both(before: Any, after: Any) -> tuple[str, str]:
    """Return two values in words; for long texts, the part where they begin to differ."""
    first, second = _text(before), _text(after)
    if max(len(first), len(second)) <= _SHOWN:
        return _words(before), _words(after)
    same = len(commonprefix([first, second]))  # noqa: RUF071  characters, not paths
    start = max(0, same - _CONTEXT) if same > _SHOWN - _CONTEXT else 0
    return _words(first, start) or "–", _words(second, start) or "–"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return " ".join(value.split())
    return _words(value) if not isinstance(value, list) else ", ".join(map(str, value))


#: Keys about people, of campaigns and systems.
_OF_PEOPLE: Final = ("contact", "judges")


def campaign_said(*, campaign: Campaign, people: bool = False) -> dict[str, Any]:
    """Return the content of a campaign file: settings, without codes, tokens, URLs of links and judgments.

    With `people`, include judges by pseudonym, and contacts.
    """
    said: dict[str, Any] = {"version": VERSION, "slug": campaign.slug, "name": campaign.name}
    for section in SECTIONS:
        said |= section.read(campaign)
    if not people:
        systems = [each for test_set in said["test_sets"] for each in test_set["systems"]]
        for part in (said, *systems):
            for name in _OF_PEOPLE:
                part.pop(name, None)
    return said


def campaign_file(*, campaign: Campaign, people: bool = False) -> bytes:
    """Return the file of a campaign. Equal campaigns have equal bytes."""
    return yaml_bytes(campaign_said(campaign=campaign, people=people))


@dataclass(frozen=True, slots=True)
class Applied:
    """Changes that a file makes or made.

    Attributes
    ----------
    slug : str
    changes : sequence of Change
        Empty if the campaign matches the file.
    notes : sequence of str
        Other consequences.
    code : str
        Identifies the file and its current changes, so that exactly the previewed ones are applied.
    is_done : bool
    links : sequence of NewLink
        New links with their tokens, which are available only here; empty unless applied.
    """

    slug: str
    changes: Sequence[Change]
    notes: Sequence[str]
    code: str
    is_done: bool
    links: Sequence[NewLink] = ()


def campaign_file_apply(
    *,
    name: str,
    content: bytes,
    by: User | None,
    folders: TextFolders | None = None,
    slug: str | None = None,
    must_be_new: bool = False,
    confirmed: str | None = None,
) -> Applied:
    """Apply a campaign file; return the differences.

    Changes are made through the services of the pages, and then determined by comparison. If `confirmed` is not the
    code of these changes, they are rolled back, and `is_done` is false; None confirms any changes. Omitted parts stay.

    Parameters
    ----------
    name : str
        Name of the file in errors.
    content : bytes
        YAML.
    by : User or None
        Owner of a new campaign; by default, the organisers of this server.
    folders : TextFolders, optional
        Folders with the files of new test sets, which are refused if None.
    slug : str, optional
        Short name that the file must have; any by default.
    must_be_new : bool
        Whether to refuse an existing campaign.

    Locks the row of the campaign. Raises FormatError, with file, line, key and remedy; nothing is changed then.
    """
    tree = isolated(name, len(content), partial(read_yaml, name, content))
    schema_check(tree)
    said = Said(tree, tree.value)
    if slug is not None and said.get("slug") != slug:
        raise said.error(
            f"this file is for another campaign, not {slug}", f"write slug: {slug}", "slug"
        )
    with transaction.atomic():
        run = _begun(said, by, folders, must_be_new)
        before: dict[str, Any] = {}
        if not run.is_new:
            before = campaign_said(campaign=run.campaign, people=True) | _life(run.campaign, None)
        for section in SECTIONS:
            section.apply(run.campaign, said, run)
        run.campaign.refresh_from_db()
        after = campaign_said(campaign=run.campaign, people=True) | _life(run.campaign, before)
        changes = [each for each in differences(before, after) if each.path != "version"]
        told = json.dumps([said.value, *(each.words for each in changes)])
        code = sha256(told.encode()).hexdigest()[:32]
        is_done = confirmed is None or confirmed == code
        if not is_done:
            transaction.set_rollback(True)
    return Applied(
        slug=run.campaign.slug,
        changes=changes,
        notes=run.notes,
        code=code,
        is_done=is_done,
        links=run.links if is_done else (),
    )


def _begun(said: Said, by: User | None, folders: TextFolders | None, must_be_new: bool) -> Run:
    """Lock or create the campaign."""
    locked = Campaign.objects.select_for_update(no_key=True)
    campaign = locked.filter(slug=said.get("slug")).first()
    is_new = campaign is None
    if campaign is None:
        organisers = [by] if by else organisers_of_quintet().filter(is_staff=True)
        try:
            campaign = campaign_create(
                slug=said.get("slug"),
                name=said.get("name"),
                organisers=organisers,
                with_suggested_rules=said.get("quality_rules") is None,
            )
        except ValidationError as error:
            raise said.error(
                " ".join(error.messages).rstrip("."), "choose different values", "slug"
            ) from error
    elif must_be_new:
        raise said.error(
            f"campaign {campaign.slug} already exists",
            "choose another slug, or apply the file in the settings of that campaign",
            "slug",
        )
    elif campaign.state == CampaignState.BIN:
        raise said.error(
            f"the campaign {campaign.slug} is in the bin", "restore it from the bin first", "slug"
        )
    elif campaign.name != said.get("name").strip():
        raise said.error(
            f"the campaign is called “{campaign.name}” and cannot be renamed",
            f"write name: {campaign.name}",
            "name",
        )
    return Run(campaign=campaign, is_new=is_new, by=by, folders=folders)


def _life(campaign: Campaign, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the state of the campaign and its closed tasks, which files may change but never contain.

    Open test sets are included only if they were there `before`, or if that is None.
    """
    closed = {
        f"{_path(each)} › closed": each.closed_at is not None
        for each in Task.objects.of(campaign).select_related("test_set").order_by("pk")
    }
    return {
        "state": campaign.state,
        "closes_at": campaign.closes_at.isoformat() if campaign.closes_at else None,
        **{
            path: is_closed
            for path, is_closed in closed.items()
            if before is None or is_closed or path in before
        },
    }


def _path(task: Task) -> str:
    of_test_set = f"test_sets › {task.test_set.name}"
    is_ranking = task.protocol == Protocol.RANKING
    return of_test_set if is_ranking else f"{of_test_set} › tasks › {task.protocol}"
