"""Add many judges at once: preview a list row by row, and add all of it or nothing."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models.functions import Lower
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaign.database.copy import pgtrigger_ignore_preset
from campaign.database.inserting import rows_insert
from campaign.formats.judge_lists import JudgeList, JudgeRow
from campaign.formats.records import unseen_problem
from campaign.models import (
    Campaign,
    ConflictOfInterest,
    GroupMember,
    Judge,
    JudgeGroup,
    Mail,
    MailKind,
    System,
    User,
)
from campaign.notification import mail_enqueue
from campaign.services.invitations import invitations_create
from campaign.services.joining import pseudonyms_free
from campaign.texts.language_tags import LanguageTagError, language_tag_checked

#: Messages that are queued at once.
MAX_MAILS: Final = 1000
_MAX_TAG: Final = 60
_MAX_NAME: Final = 150
_BATCH: Final = 1000


class RowState(StrEnum):
    """Effect of a list's row."""

    NEW = "new"
    KNOWN = "known"  # already a judge of the campaign: left alone
    AGAIN = "again"  # the address occurs further up
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """A row of a list, and its effect.

    `known_as` is the pseudonym of a judge with this address, `first_line` where it stands further up, and `problems`
    why the whole list is refused.
    """

    row: JudgeRow
    state: RowState
    languages: Sequence[str] = ()
    expertise: Sequence[str] = ()
    groups: Sequence[JudgeGroup] = ()
    conflicts: Sequence[System] = ()
    known_as: str = ""
    first_line: int | None = None
    problems: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CheckedList:
    """A list of judges, looked at row by row; `ignored` are columns that mean nothing here."""

    rows: Sequence[CheckedRow]
    ignored: Sequence[str] = ()

    def of(self, state: RowState) -> list[CheckedRow]:
        """Return the rows of a state."""
        return [row for row in self.rows if row.state == state]

    @property
    def is_right(self) -> bool:
        """Return whether all of it can be done."""
        return not self.of(RowState.WRONG)


@dataclass(frozen=True, slots=True, kw_only=True)
class MailTerms:
    """Settings of the invitation mails to new judges."""

    base_url: str
    language: str = "en"
    note: str = ""


@dataclass(frozen=True, slots=True)
class AddedJudge:
    """A new judge of a list, with the token of their link; empty where it comes by e-mail."""

    judge: Judge
    row: CheckedRow
    token: str = ""


@dataclass(frozen=True, slots=True)
class AddedList:
    """Judges added from a list, the outcome of its rows, and the expiry of their links."""

    judges: Sequence[AddedJudge]
    checked: CheckedList
    expires_at: datetime | None = None


class JudgeListRefusedError(Exception):
    """Nothing of the list is done; `checked` says which rows are wrong."""

    def __init__(self, message: str, checked: CheckedList) -> None:
        super().__init__(message)
        self.checked = checked


def judge_list_check(*, campaign: Campaign, judges: JudgeList) -> CheckedList:
    """Return the effect of each row of a list; nothing is changed. Four queries."""
    known = _known(campaign)
    groups = {
        group.name.casefold(): group
        for group in JudgeGroup.objects.present().filter(campaign=campaign)
    }
    systems: dict[str, list[System]] = {}
    for system in System.objects.filter(test_set__campaign=campaign).order_by("id"):
        systems.setdefault(system.name, []).append(system)
    seen: dict[str, int] = {}
    rows = []
    for row in judges.rows:
        address = row.address.lower()
        checked = _checked(row, known.get(address, ""), seen.get(address), groups, systems)
        if checked.state != RowState.WRONG:
            seen.setdefault(address, row.line)
        rows.append(checked)
    return CheckedList(rows, judges.ignored)


def _known(campaign: Campaign) -> dict[str, str]:
    """Return the pseudonyms of judges by address, in lower case."""
    mails = Mail.objects.to_judges().filter(campaign=campaign)
    found = dict(mails.values_list(Lower("address"), "judge__pseudonym"))
    own = Judge.objects.filter(campaign=campaign).exclude(address="")
    return found | dict(own.values_list(Lower("address"), "pseudonym"))


def _checked(
    row: JudgeRow,
    known_as: str,
    first_line: int | None,
    groups: Mapping[str, JudgeGroup],
    systems: Mapping[str, Sequence[System]],
) -> CheckedRow:
    parts = _Parts(groups, systems)
    address = parts.address(row.address)
    name_problem = _name_problem(row.name)
    languages = [tag for text in row.languages if (tag := parts.language(text))]
    expertise = [tag for text in row.expertise if (tag := parts.expertise(text))]
    found = [group for text in row.groups if (group := parts.group(text))]
    conflicts = [system for text in row.conflicts for system in parts.conflict(text)]
    problems = [*parts.problems, *([name_problem] if name_problem else [])]
    if problems or not address:
        state = RowState.WRONG
    elif first_line is not None:
        state = RowState.AGAIN
    else:
        state = RowState.KNOWN if known_as else RowState.NEW
    return CheckedRow(
        row=row,
        state=state,
        languages=list(dict.fromkeys(languages)),
        expertise=sorted(set(expertise)),
        groups=list(dict.fromkeys(found)),
        conflicts=list(dict.fromkeys(conflicts)),
        known_as=known_as,
        first_line=first_line,
        problems=problems,
    )


def _name_problem(name: str) -> str:
    if len(name) > _MAX_NAME:
        return _("The name is longer than %(most)d characters. Shorten it.") % {"most": _MAX_NAME}
    problem = unseen_problem(name, "name of the judge")
    return f"{problem}; remove it" if problem else ""


@dataclass(slots=True)
class _Parts:
    """Looks up the names in a row, and collects errors."""

    groups: Mapping[str, JudgeGroup]
    systems: Mapping[str, Sequence[System]]
    problems: list[str] = field(default_factory=list)

    def address(self, text: str) -> bool:
        try:
            if len(text) > 254:
                raise ValidationError(text)
            validate_email(text)
        except ValidationError:
            said = (
                _("“%(text)s” is not an e-mail address. Enter one such as ada@example.org.")
                if text
                else _("The address is missing. Enter one such as ada@example.org.")
            )
            self.problems.append(said % {"text": text[:80]})
            return False
        return True

    def language(self, text: str) -> str | None:
        try:
            return language_tag_checked(text)
        except LanguageTagError as error:
            self.problems.append(str(error))
            return None

    def expertise(self, text: str) -> str:
        if len(text) > _MAX_TAG:
            self.problems.append(
                _(
                    "Expertise entries can have at most %(most)d characters. Separate them by semicolons."
                )
                % {"most": _MAX_TAG}
            )
        return text.lower()

    def group(self, text: str) -> JudgeGroup | None:
        group = self.groups.get(text.casefold())
        if group is None:
            self.problems.append(
                _("Group “%(name)s” not found. Create it first.") % {"name": text[:80]}
            )
        return group

    def conflict(self, text: str) -> Sequence[System]:
        found = self.systems.get(text, ())
        if not found:
            self.problems.append(
                _("System “%(name)s” not found in this campaign. Enter its exact name.")
                % {"name": text[:80]}
            )
        return found


@transaction.atomic
def judge_list_add(
    *,
    campaign: Campaign,
    judges: JudgeList,
    mail: MailTerms | None = None,
    by: User | None = None,
) -> AddedList:
    """Create a judge for each new row, with a link or an invitation mail; return them.

    Existing judges are left alone. Locks the campaign's row, so that the same addresses cannot be
    added concurrently. Raises `JudgeListRefusedError`, and does nothing, if any row is wrong.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    checked = judge_list_check(campaign=campaign, judges=judges)
    if not checked.is_right:
        count = len(checked.of(RowState.WRONG))
        said = ngettext(
            "No judges added: %(count)d row is invalid.",
            "No judges added: %(count)d rows are invalid.",
            count,
        )
        raise JudgeListRefusedError(said % {"count": count}, checked)
    rows = checked.of(RowState.NEW)
    if mail is not None and len(rows) > MAX_MAILS:
        said = _(
            "At most %(most)d invitations can be sent at once. Shorten the list or use the links."
        )
        raise JudgeListRefusedError(said % {"most": MAX_MAILS}, checked)
    pgtrigger_ignore_preset()
    made = _judges_make(campaign, rows)
    if mail is not None:
        _mails_queue(campaign, made, mail, by)
        added = [AddedJudge(judge, row) for judge, row in zip(made, rows, strict=True)]
        return AddedList(added, checked)
    added, ends = _with_links(campaign, made, rows, by)
    return AddedList(added, checked, expires_at=ends)


def _judges_make(campaign: Campaign, rows: Sequence[CheckedRow]) -> list[Judge]:
    names = pseudonyms_free(campaign, len(rows))
    users = rows_insert(
        User,
        [
            {"name": row.row.name or name, "password": "!" + secrets.token_urlsafe(30)}
            for name, row in zip(names, rows, strict=True)
        ],
    )
    ids = rows_insert(
        Judge,
        [
            {
                "user_id": user,
                "pseudonym": name,
                "address": row.row.address,
                "languages": row.languages,
                "expertise": row.expertise,
            }
            for user, name, row in zip(users, names, rows, strict=True)
        ],
        campaign_id=campaign.pk,
    )
    found = Judge.objects.filter(campaign=campaign).in_bulk(ids)
    made = [found[pk] for pk in ids]
    pairs = list(zip(made, rows, strict=True))
    GroupMember.objects.bulk_create(
        (GroupMember(judge=judge, group=group) for judge, row in pairs for group in row.groups),
        batch_size=_BATCH,
    )
    ConflictOfInterest.objects.bulk_create(
        (
            ConflictOfInterest(judge=judge, system=system)
            for judge, row in pairs
            for system in row.conflicts
        ),
        batch_size=_BATCH,
    )
    return made


def _mails_queue(
    campaign: Campaign, made: Iterable[Judge], mail: MailTerms, by: User | None
) -> None:
    Mail.objects.bulk_create(
        (
            Mail(
                kind=MailKind.JUDGE,
                campaign=campaign,
                judge=judge,
                address=judge.address,
                language=mail.language,
                note=mail.note,
                base_url=mail.base_url.rstrip("/"),
                created_by=by,
            )
            for judge in made
        ),
        batch_size=_BATCH,
    )
    transaction.on_commit(mail_enqueue)


def _with_links(
    campaign: Campaign, made: Sequence[Judge], rows: Sequence[CheckedRow], by: User | None
) -> tuple[list[AddedJudge], datetime | None]:
    if not made:
        return [], None
    # Each of them was made with a user.
    user_ids = [judge.user_id for judge in made if judge.user_id is not None]
    tokens, ends = invitations_create(campaign=campaign, user_ids=user_ids, created_by=by)
    added = [
        AddedJudge(judge, row, token) for judge, row, token in zip(made, rows, tokens, strict=True)
    ]
    return added, ends
