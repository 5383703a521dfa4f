"""Data kept about a judge, as far as they may see it; nothing reveals systems."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from annotation.models import Judgment, Skip
from annotation.selectors.judges import judge_status, messages_to
from annotation.selectors.judging import (
    has_older_done_blocks,
    own_done_blocks,
    own_done_blocks_data,
)
from annotation.selectors.judgment_list import own_problem_reports
from annotation.selectors.work_time import work_time
from campaign.models import Acceptance, Invitation, Judge, Mail, Participation, User

_AT_ONCE: Final = 500


def kept_about(judge: Judge) -> dict[str, Any]:
    """Return the data kept about a judge in their campaign, as JSON-serializable values.

    Texts and labels are those that the judge may look at now: while they hold a HIT of a task in which judges
    repeat some HITs, older blocks are left out (`own_done_blocks`), and `judgments_left_out` is true. Organisers' notes
    about them are not included, nor are measures, which would reveal checks.
    """
    done = list(own_done_blocks(judge)[:])
    return {
        "campaign": {"slug": judge.campaign.slug, "name": judge.campaign.name},
        "account": _account(judge.user),
        "judge": _part(judge),
        "consents": list(
            Acceptance.objects.filter(judge=judge)
            .order_by("accepted_at")
            .values("instructions__version", "instructions__language", "accepted_at")
        ),
        "links": list(
            Invitation.objects.filter(campaign=judge.campaign_id, user=judge.user_id)
            .order_by("created_at")
            .values("created_at", "expires_at", "revoked_at")
        ),
        "visits": list(
            judge.browser_visits.order_by("seen_at").values("seen_at", "device", "at_work")
        ),
        "mails": list(
            judge.mails.order_by("created_at").values(
                "address", "created_at", "sent_at", "state", "note"
            )
        ),
        "mails_about_erasure": list(
            Mail.objects.filter(erasure__judge=judge, user=None)
            .order_by("created_at")
            .values("address", "created_at", "sent_at", "state", "kind")
        ),
        "participations": list(
            Participation.objects.filter(judge=judge)
            .order_by("started_at")
            .values(
                *("judge__service", "judge__external_id", "session_id", "study_id"),
                *("state", "started_at", "ended_at", "code"),
            )
        ),
        "judgments": [
            block
            for first in range(0, len(done), _AT_ONCE)
            for block in _blocks(done[first : first + _AT_ONCE], judge=judge)
        ],
        "judgments_left_out": has_older_done_blocks(judge),
        "work_time": _worked(judge),
        "problem_reports": [
            {
                "block": report.block.public_id,
                "kind": report.kind,
                "comment": report.comment,
                "created_at": report.created_at,
                "closed": report.is_closed,
                "answers": [
                    {"text": each.text, "created_at": each.created_at} for each in report.answers
                ],
            }
            for report in own_problem_reports(judge)
        ],
        "status": judge_status(judge).value,
        "messages": list(messages_to(judge).values("created_at", "text")),
        "erasure_requests": list(
            judge.erasure_requests.order_by("asked_at").values(
                "asked_at", "due_at", "withdrawn_at", "refused_at", "reason", "carried_out_at"
            )
        ),
    }


def _account(user: User | None) -> dict[str, Any]:
    if user is None:
        return {}
    columns = ("name", "email", "language", "created_at", "last_login")
    return {**_columns(user, columns), "sign_ins": user.sessions.count()}


def _columns(row: Any, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _part(judge: Judge) -> dict[str, Any]:
    columns = (
        *("pseudonym", "address", "languages", "expertise", "blocks_asked"),
        *("created_at", "withdrawn_at", "declined_at"),
    )
    return {
        **_columns(judge, columns),
        # Only the number: the names would reveal that these systems are in the campaign.
        "conflicts_of_interest": judge.conflicts.count(),
        "groups": judge.group_members.count(),
    }


def _blocks(rows: list[Any], *, judge: Judge) -> list[dict[str, Any]]:
    sent: dict[Any, list[dict[str, Any]]] = {}
    of_rows = {"judge": judge, "block__in": [row.block_id for row in rows]}
    times = ("block__public_id", "duration_ms", "active_ms", "comment")
    judged = (
        Judgment.objects.filter(**of_rows).order_by("pk").values(*times, "submitted_at", "labels")
    )
    skipped = Skip.objects.filter(**of_rows).order_by("pk").values(*times, "created_at", "reason")
    for row in [*judged, *skipped]:
        sent.setdefault(row.pop("block__public_id"), []).append(row)
    found = []
    for block in own_done_blocks_data(rows, judge=judge):
        del block["rules"]
        languages = block.pop("languages")
        sides = {f"{side}_language": said["lang"] for side, said in languages.items()}
        found.append({**block, **sides, "sent": sent.get(block["block"]["id"], [])})
    return found


def _worked(judge: Judge) -> dict[str, Any]:
    worked = work_time(judge)
    return {
        "time_zone": worked.time_zone,
        "total": asdict(worked.total),
        "days": [{"day": day, **asdict(each)} for day, each in worked.days.items()],
    }
