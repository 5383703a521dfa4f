"""Add many judges at once: preview a list row by row, and add all of it or nothing."""

import secrets
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.translation import gettext as _

from campaign.database.many_rows import pgtrigger_ignore_preset, row_locked, rows_insert
from campaign.formats.judge_lists import JudgeList, JudgeRow, MachineCells
from campaign.formats.records import unseen_problem
from campaign.models import (
    Campaign,
    ConflictOfInterest,
    GroupMember,
    Judge,
    JudgeGroup,
    MachineJudge,
    Mail,
    MailKind,
    System,
    User,
)
from campaign.selectors.credentials import judges_by_address, judges_by_name
from campaign.services.invitations import invitations_create
from campaign.services.judge_groups import group_name_key
from campaign.services.judges import pseudonyms_free
from campaign.services.machines import (
    MachineTerms,
    machine_called_alike,
    machine_differs,
    machine_ensure,
    machine_refusal,
    named_as_person,
    people_named,
)
from campaign.services.notification import mail_enqueue
from campaign.texts.addresses import address_canonical, address_key
from campaign.texts.counted import counted
from campaign.texts.languages import LanguageTagError, language_tag_checked
from campaign.texts.names import visible_name

#: Maximum number of messages queued at once.
MAX_MAILS: Final = 1000
_MAX_TAG: Final = 60
_MAX_NAME: Final = 150
_BATCH: Final = 1000


class RowState(StrEnum):
    """Effect of a list's row."""

    NEW = "new"
    KNOWN = "known"  # already a judge of the campaign: left alone
    AGAIN = "again"  # the address, or the name without one, occurs further up
    WRONG = "wrong"


@dataclass(slots=True)
class CheckedRow:
    """A row of a list, and its effect.

    `known_as` is the pseudonym of a judge with this address, `first_line` the line above that already has the address;
    rows without an address are compared by name, and machine judges by name and version. `problems` are reasons to refuse the whole list. Once the list is added, `judge` is the new judge, and `token` that
    of their link, or empty if it is sent by e-mail.
    """

    row: JudgeRow
    known_as: str
    first_line: int | None
    state: RowState = RowState.NEW
    languages: list[str] = field(default_factory=list)
    expertise: list[str] = field(default_factory=list)
    groups: list[JudgeGroup] = field(default_factory=list)
    conflicts: list[System] = field(default_factory=list)
    problems: Sequence[str] = ()
    judge: Judge | None = None
    token: str = ""

    @property
    def terms(self) -> MachineTerms:
        """The terms of a machine judge."""
        machine = self.row.machine
        assert machine is not None  # noqa: S101  asked of machine judges only
        return _terms(self.row, machine)


@dataclass(slots=True)
class CheckedList:
    """A list of judges, checked row by row; `ignored` are unknown columns.

    Once it is added, the links of its new judges expire at `expires_at`.
    """

    rows: Sequence[CheckedRow]
    ignored: Sequence[str] = ()
    expires_at: datetime | None = None

    def of(self, state: RowState) -> list[CheckedRow]:
        """Return the rows of a state."""
        return [row for row in self.rows if row.state == state]


class JudgeListRefusedError(Exception):
    """The list was refused and nothing was added; `checked` says which rows are wrong."""

    def __init__(self, message: str, checked: CheckedList) -> None:
        super().__init__(message)
        self.checked = checked


def judge_list_check(
    *,
    campaign: Campaign,
    judges: JudgeList,
    needs_addresses: bool = False,
) -> CheckedList:
    """Return the effect of each row of a list; nothing is changed. Seven queries.

    Judges with a name need no address, unless `needs_addresses`: their links are then sent by e-mail. Machine judges
    have none.
    """
    existing = judges_by_address(campaign=campaign) | judges_by_name(campaign=campaign)
    machines = _Machines.of(campaign, judges)
    groups = {
        group_name_key(group.name): group
        for group in JudgeGroup.objects.present().filter(campaign=campaign)
    }
    systems: dict[str, list[System]] = {}
    for system in System.objects.filter(test_set__campaign=campaign).order_by("id"):
        systems.setdefault(system.name, []).append(system)
    line_by_key: dict[str, int] = {}
    rows = []
    for row in judges.rows:
        if row.machine is None:
            key = address_key(row.address) or row.name.casefold()
            checked = CheckedRow(row, existing.get(key, ""), line_by_key.get(key))
            checked.problems = [
                *_values_read(checked, needs_addresses),
                *_names_read(checked, groups, systems),
                *machines.meant_by(row),
            ]
        else:
            # No name or address of a person has a line break.
            key = f"\n{row.called}"
            checked = CheckedRow(row, "", line_by_key.get(key))
            checked.problems = [
                *machines.read(checked),
                *_person_meant(row, existing, machines.people),
            ]
        if checked.problems:
            checked.state = RowState.WRONG
        elif checked.first_line is not None:
            checked.state = RowState.AGAIN
        elif checked.known_as:
            checked.state = RowState.KNOWN
        if not checked.problems:
            line_by_key.setdefault(key, row.line)
        rows.append(checked)
    return CheckedList(rows, judges.ignored)


@dataclass(slots=True)
class _Machines:
    """The machine judges of a campaign by name and version, the names of those of a list, and people with such names."""

    stored: dict[str, MachineJudge]
    names: set[str]
    people: set[str]
    described: dict[str, MachineTerms] = field(default_factory=dict)

    @classmethod
    def of(cls, campaign: Campaign, judges: JudgeList) -> "_Machines":
        """Read them. Two queries, or one if the list has no machine judges."""
        stored = {}
        names = set()
        for machine in MachineJudge.objects.filter(campaign=campaign):
            stored[str(machine)] = machine
            names.add(machine.name)
        described = []
        for row in judges.rows:
            if row.machine is not None:
                described.append(_terms(row, row.machine))
                names.add(row.name)
        people: set[str] = set()
        if described:
            people = people_named(campaign=campaign, terms=described)
        return cls(stored, names, people)

    def meant_by(self, row: JudgeRow) -> Iterator[str]:
        """Yield the error of a person with the name of a machine judge and no address."""
        if row.name in self.names and not row.address:
            message = _(
                "“%(name)s” is a machine judge. Set machine to true and enter its version.",
            )
            yield message % {"name": row.name}

    def read(self, checked: CheckedRow) -> Iterator[str]:
        """Read a machine judge; yield its errors."""
        row = checked.row
        if row.address or row.languages or row.expertise or row.groups or row.conflicts:
            yield _(
                "A machine judge has only name, version, prompt, settings and asked_twice. Leave the other cells empty.",
            )
        terms = checked.terms
        if not terms.name or not terms.version:
            yield _("Enter the name and the version of the machine judge.")
        for text in (terms.name, terms.version):
            if len(text) > _MAX_TAG:
                message = _(
                    "“%(text)s” is longer than %(most)d characters. Shorten it.",
                )
                yield message % {"text": text[:80], "most": _MAX_TAG}
        above = self.described.setdefault(str(terms), terms)
        called_alike = machine_called_alike(above, terms)
        if called_alike is not None:
            yield str(called_alike)
        elif above != terms:
            yield _(
                "Another row has this version with another prompt or other settings. Enter another version.",
            )
        machine = self.stored.get(str(terms))
        if machine is None:
            refusal = machine_refusal(terms=terms, people=self.people)
        else:
            checked.known_as = str(machine)
            refusal = machine_differs(machine=machine, terms=terms)
        if refusal is not None:
            yield str(refusal)


def _terms(row: JudgeRow, machine: MachineCells) -> MachineTerms:
    return MachineTerms(
        name=row.name,
        version=machine.version,
        prompt=machine.prompt,
        settings=machine.settings,
        asked_twice=machine.asked_twice,
    )


def _person_meant(
    row: JudgeRow,
    people: Mapping[str, str],
    pseudonyms: Set[str],
) -> Iterator[str]:
    """Yield the error of a machine judge with the name of a person in the campaign, other than their pseudonym."""
    if row.name.casefold() in people and row.name not in pseudonyms:
        yield str(named_as_person(row.name))


def _address_problem(row: JudgeRow, *, is_needed: bool) -> str:
    """Return what is wrong with the address of a row; empty if nothing is."""
    if not row.address:
        missing = is_needed or not row.name
        if missing:
            return _("The address is missing. Enter one such as ada@example.org.")
        return ""
    try:
        if len(row.address) > 254:
            raise ValidationError(row.address)
        validate_email(row.address)
    except ValidationError:
        message = _(
            "“%(text)s” is not an e-mail address. Enter one such as ada@example.org.",
        )
        return message % {"text": row.address[:80]}
    return ""


def _values_read(checked: CheckedRow, needs_addresses: bool) -> Iterator[str]:
    """Read address, languages and expertise of a row; yield its errors."""
    row = checked.row
    problem = _address_problem(row, is_needed=needs_addresses)
    if problem:
        yield problem
    for text in row.languages:
        try:
            checked.languages.append(language_tag_checked(text))
        except LanguageTagError as error:
            yield str(error)
    for text in row.expertise:
        if len(text) > _MAX_TAG:
            message = _(
                "Expertise entries can have at most %(most)d characters. Separate them by semicolons.",
            )
            yield message % {"most": _MAX_TAG}
    checked.languages = list(dict.fromkeys(checked.languages))
    checked.expertise = sorted({text.lower() for text in row.expertise})


def _names_read(
    checked: CheckedRow,
    groups: Mapping[str, JudgeGroup],
    systems: Mapping[str, Sequence[System]],
) -> Iterator[str]:
    """Look up the names in a row; yield its errors."""
    row = checked.row
    for text in row.groups:
        group = groups.get(group_name_key(text))
        if group is None:
            yield _("Group “%(name)s” not found. Create it first.") % {
                "name": text[:80],
            }
        elif group not in checked.groups:
            checked.groups.append(group)
    for text in dict.fromkeys(row.conflicts):
        checked.conflicts += systems.get(text, ())
        if text not in systems:
            message = _(
                "System “%(name)s” not found in this campaign. Enter its exact name.",
            )
            yield message % {"name": text[:80]}
    if len(row.name) > _MAX_NAME:
        yield _("The name is longer than %(most)d characters. Shorten it.") % {
            "most": _MAX_NAME,
        }
    elif problem := unseen_problem(row.name, "name of the judge"):
        yield f"{problem}; remove it"


@transaction.atomic
def judge_list_add(
    *,
    campaign: Campaign,
    judges: JudgeList,
    mail: Mapping[str, str] | None = None,
    by: User | None = None,
) -> CheckedList:
    """Create a judge for each new row, with a link or an invitation mail, or a machine judge; return the rows.

    `mail` are `base_url`, `language` and `note` of the mails. Existing judges are left alone. Locks the
    campaign's row, so that the same addresses cannot be added concurrently. Raises `JudgeListRefusedError`,
    and does nothing, if any row is wrong.
    """
    row_locked(campaign)
    checked = judge_list_check(
        campaign=campaign,
        judges=judges,
        needs_addresses=mail is not None,
    )
    if count := len(checked.of(RowState.WRONG)):
        message = counted(
            "No judges added: %(count)d row is invalid.",
            "No judges added: %(count)d rows are invalid.",
            count,
        )
        raise JudgeListRefusedError(message, checked)
    rows = []
    for row in checked.of(RowState.NEW):
        if row.row.machine is None:
            rows.append(row)
        else:
            machine_ensure(campaign=campaign, by=by, terms=row.terms)
    if mail is not None and len(rows) > MAX_MAILS:
        message = _(
            "At most %(most)d invitations can be sent at once. Shorten the list or use the links.",
        )
        raise JudgeListRefusedError(message % {"most": MAX_MAILS}, checked)
    pgtrigger_ignore_preset()
    users = _judges_make(campaign, rows)
    if mail is not None:
        _mails_queue(campaign, rows, mail, by)
    elif rows:
        tokens, checked.expires_at = invitations_create(
            campaign=campaign,
            user_ids=users,
            created_by=by,
        )
        for row, token in zip(rows, tokens, strict=True):
            row.token = token
    return checked


def _judges_make(campaign: Campaign, rows: Sequence[CheckedRow]) -> list[int]:
    """Create the judges of new rows; return the ids of their users."""
    names = pseudonyms_free(campaign, len(rows))
    users = rows_insert(
        User,
        [
            {
                "name": visible_name(row.row.name) or name,
                "password": "!" + secrets.token_urlsafe(30),
            }
            for name, row in zip(names, rows, strict=True)
        ],
    )
    ids = rows_insert(
        Judge,
        [
            {
                "user_id": user,
                "pseudonym": name,
                "address": address_canonical(row.row.address),
                "languages": row.languages,
                "expertise": row.expertise,
            }
            for user, name, row in zip(users, names, rows, strict=True)
        ],
        campaign_id=campaign.pk,
    )
    judge_by_id = Judge.objects.filter(campaign=campaign).in_bulk(ids)
    for pk, row in zip(ids, rows, strict=True):
        row.judge = judge_by_id[pk]
    members = []
    conflicts = []
    for row in rows:
        for group in row.groups:
            members.append(GroupMember(judge=row.judge, group=group))
        for system in row.conflicts:
            conflicts.append(ConflictOfInterest(judge=row.judge, system=system))
    GroupMember.objects.bulk_create(members, batch_size=_BATCH)
    ConflictOfInterest.objects.bulk_create(conflicts, batch_size=_BATCH)
    return users


def _mails_queue(
    campaign: Campaign,
    rows: Sequence[CheckedRow],
    mail: Mapping[str, str],
    by: User | None,
) -> None:
    terms = {**mail, "base_url": mail["base_url"].rstrip("/")}
    Mail.objects.bulk_create(
        (
            Mail(
                kind=MailKind.JUDGE,
                campaign=campaign,
                judge=row.judge,
                address=address_canonical(row.row.address),
                created_by=by,
                **terms,
            )
            for row in rows
        ),
        batch_size=_BATCH,
    )
    transaction.on_commit(mail_enqueue)
