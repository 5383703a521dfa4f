"""Data kept about a judge, as far as they may see it; nothing reveals systems."""

from dataclasses import asdict
from typing import Any, Final

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount

from annotation.models import Judgment, Skip
from annotation.selectors.judges import judge_status, messages_to
from annotation.selectors.judging import (
    has_older_done_blocks,
    own_done_blocks,
    own_done_blocks_data,
)
from annotation.selectors.judgment_list import own_problem_reports
from annotation.selectors.work_time import work_time
from campaign.database.personal import downloaded_rows
from campaign.models import Acceptance, Invitation, Judge, Mail, Participation, User

_AT_ONCE: Final = 500


def kept_about(judge: Judge) -> dict[str, object]:
    """Return the data kept about a judge in their campaign, as JSON-serializable values.

    Its fields are those declared so in the `personal` of their models.

    Texts and labels are those that the judge may look at now: while they hold a HIT of a task in which judges
    repeat some HITs, older blocks are left out (`own_done_blocks`), and `judgments_left_out` is true. Organisers' notes
    about them are not included, nor are measures, which would reveal checks.
    """
    done_blocks = list(own_done_blocks(judge)[:])
    blocks = []
    for first in range(0, len(done_blocks), _AT_ONCE):
        blocks.extend(_blocks(done_blocks[first : first + _AT_ONCE], judge=judge))
    reports = []
    for report in own_problem_reports(judge):
        reports.append(
            {
                "block": report.block.public_id,
                "kind": report.kind,
                "comment": report.comment,
                "created_at": report.created_at,
                "closed": report.is_closed,
                "answers": [
                    {"text": answer.text, "created_at": answer.created_at}
                    for answer in report.answers
                ],
            },
        )
    return {
        "campaign": {"slug": judge.campaign.slug, "name": judge.campaign.name},
        "account": _account(judge.user),
        "judge": _part(judge),
        "consents": downloaded_rows(
            Acceptance.objects.filter(judge=judge).order_by("accepted_at"),
            "instructions__version",
            "instructions__language",
        ),
        "links": downloaded_rows(
            Invitation.objects.filter(
                campaign=judge.campaign_id,
                user=judge.user_id,
            ).order_by("created_at"),
        ),
        "visits": downloaded_rows(judge.browser_visits.order_by("seen_at")),
        "mails": downloaded_rows(judge.mails.order_by("created_at")),
        "mails_about_erasure": downloaded_rows(
            Mail.objects.filter(erasure__judge=judge, user=None).order_by("created_at"),
        ),
        "participations": downloaded_rows(
            Participation.objects.filter(judge=judge).order_by("started_at"),
            "judge__service",
            "judge__external_id",
        ),
        "judgments": blocks,
        "judgments_left_out": has_older_done_blocks(judge),
        "work_time": _work_time_data(judge),
        "problem_reports": reports,
        "status": judge_status(judge).value,
        "messages": downloaded_rows(messages_to(judge)),
        "erasure_requests": downloaded_rows(
            judge.erasure_requests.order_by("asked_at"),
        ),
    }


def _account(user: User | None) -> dict[str, object]:
    if user is None:
        return {}
    [account] = downloaded_rows(User.objects.filter(pk=user.pk))
    return {
        **account,
        "sign_ins": user.sessions.count(),
        "api_tokens": downloaded_rows(user.api_tokens.order_by("created_at")),
        "addresses": downloaded_rows(EmailAddress.objects.filter(user=user)),
        "second_factors": downloaded_rows(Authenticator.objects.filter(user=user)),
        "single_sign_on": downloaded_rows(SocialAccount.objects.filter(user=user)),
    }


def _part(judge: Judge) -> dict[str, object]:
    [part] = downloaded_rows(Judge.objects.filter(pk=judge.pk))
    return {
        **part,
        # Only the number: the names would reveal that these systems are in the campaign.
        "conflicts_of_interest": judge.conflicts.count(),
        "groups": judge.group_members.count(),
        "groups_from_answers": downloaded_rows(
            judge.group_members.exclude(question="").order_by("pk"),
            "group__name",
        ),
    }


def _blocks(rows: list[Any], *, judge: Judge) -> list[dict[str, object]]:
    sent: dict[Any, list[dict[str, object]]] = {}
    of_rows = {"judge": judge, "block__in": [row.block_id for row in rows]}
    judged = Judgment.objects.filter(**of_rows).order_by("pk")
    skipped = Skip.objects.filter(**of_rows).order_by("pk")
    for row in [
        *downloaded_rows(judged, "block__public_id"),
        *downloaded_rows(skipped, "block__public_id"),
    ]:
        sent.setdefault(row.pop("block__public_id"), []).append(row)
    blocks: list[dict[str, object]] = []
    for block in own_done_blocks_data(rows, judge=judge):
        own_data: dict[str, object] = {**block}
        del own_data["rules"]
        del own_data["languages"]
        own_data["source_language"] = block["languages"]["source"]["lang"]
        own_data["target_language"] = block["languages"]["target"]["lang"]
        own_data["sent"] = sent.get(block["block"]["id"], [])
        blocks.append(own_data)
    return blocks


def _work_time_data(judge: Judge) -> dict[str, object]:
    worked = work_time(judge)
    return {
        "time_zone": worked.time_zone,
        "total": asdict(worked.total),
        "days": [
            {"day": day, **asdict(worked_on_day)}
            for day, worked_on_day in worked.days.items()
        ],
    }
