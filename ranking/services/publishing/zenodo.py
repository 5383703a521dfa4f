"""Ask for a draft of a published result at Zenodo. A worker makes it; nothing publishes it."""

import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from datetime import UTC, time, timedelta
from typing import Any, Final

from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac
from django.utils.html import escape
from django.utils.translation import gettext as _

from campaign.models import JobKind, User
from campaign.services.jobs import job_queue
from ranking.models import PublishedResult, ZenodoDraft, ZenodoHost
from ranking.reports.published.report import basis_of, firmness_of, title_of
from ranking.selectors.result_bundles import bundle_of
from ranking.services.publishing.publish import database_now

#: Licences that are offered, by the names that Zenodo has for them.
LICENCES: Final[Mapping[str, str]] = {
    "cc-by-4.0": "Creative Commons Attribution 4.0 International",
    "cc-by-sa-4.0": "Creative Commons Attribution Share Alike 4.0 International",
    "cc0-1.0": "Creative Commons Zero 1.0 Universal",
}
#: What a header can hold: no line break ends one, and begins another.
TOKEN: Final = re.compile(r"^[\x21-\x7e]+\Z")


class ZenodoRefusedError(Exception):
    """No draft is made of it; the words are for organisers."""


def zenodo_metadata(result: PublishedResult, *, licence: str, url: str) -> dict[str, Any]:
    """Return what Zenodo is told of a result, in English as its files are; `url` is its page here.

    Creators are the authors of the citation, or, where nobody is named, the campaign.
    """
    content = result.content
    authors = content["authors"] or [content["campaign"]["name"]]
    said = [
        f"Human ranking of machine translation systems: {title_of(content)}.",
        " ".join([basis_of(content), *firmness_of(content)]),
        (
            f"The bundle has the judgments, the design and the method, from which Quintet "
            f"{content['method']['code_version']} computes the result again."
        ),
        content["acknowledgement"],
    ]
    return {
        "title": f"{title_of(content)}, version {content['version']}",
        "upload_type": "dataset",
        "description": "".join(f"<p>{escape(each)}</p>" for each in said if each),
        "creators": [{"name": author} for author in authors],
        "version": str(content["version"]),
        "publication_date": content["published_at"][:10],
        **_access(result),
        "license": licence,
        "related_identifiers": [{"identifier": url, "relation": "isAlternateIdentifier"}],
        "notes": f"SHA-256 of the content: {result.digest}",
    }


def _access(result: PublishedResult) -> dict[str, str]:
    """Return from when on files are open; Zenodo knows days, so the first one that begins after an embargo."""
    until = result.embargo_until
    if until is None or until <= database_now():
        return {"access_right": "open"}
    moment = until.astimezone(UTC)
    day = moment.date() if moment.time() == time() else moment.date() + timedelta(days=1)
    return {"access_right": "embargoed", "embargo_date": day.isoformat()}


@transaction.atomic
def zenodo_draft_ask(
    *,
    result: PublishedResult,
    host: str,
    token: str,
    licence: str,
    url: str,
    by: User | None,
) -> ZenodoDraft:
    """Have a worker make a draft of a result's bundle in the account that a token is of.

    The token is kept encrypted until the job has ended, and never longer.

    Raises
    ------
    ZenodoRefusedError
        If it is not allowed here, the result is retracted or has no bundle yet, or a worker is at it.
    """
    if not settings.ZENODO_UPLOADS:
        raise ZenodoRefusedError(_("Drafts at Zenodo are not allowed here."))
    if result.retracted_at is not None:
        raise ZenodoRefusedError(_("This version is retracted."))
    if bundle_of(result) is None:
        raise ZenodoRefusedError(_("This version has no bundle yet."))
    PublishedResult.objects.select_for_update(no_key=True).only("pk").get(pk=result.pk)
    last = ZenodoDraft.objects.of(result.pk).select_related("job").order_by("-pk").first()
    if last is not None and last.job is not None and not last.job.has_ended:
        raise ZenodoRefusedError(_("A draft of this version is being made already."))
    draft = ZenodoDraft.objects.create(
        result=result,
        host=ZenodoHost(host),
        metadata=zenodo_metadata(result, licence=licence, url=url),
        sealed_token=_cipher().encrypt(token.encode()),
        asked_by=by,
    )
    draft.job = job_queue(
        campaign=result.task.test_set.campaign,
        kind=JobKind.ZENODO_DRAFT,
        name=_("%(name)s, version %(version)s")
        % {"name": result.task.test_set.name[:150], "version": result.version},
        parameters={"draft": draft.pk},
        user=by,
    )
    draft.save(update_fields=["job"])
    return draft


def zenodo_token(draft: ZenodoDraft) -> str:
    """Return the token that a draft is made with.

    Raises
    ------
    ZenodoRefusedError
        If it is gone, as after each job, or drafts are not allowed any more.
    """
    if not settings.ZENODO_UPLOADS:
        raise ZenodoRefusedError(_("Drafts at Zenodo are not allowed here."))
    if draft.sealed_token is None:
        raise ZenodoRefusedError(_("The token is not kept. Ask for the draft again, and give it."))
    try:
        return _cipher().decrypt(bytes(draft.sealed_token)).decode()
    except InvalidToken as error:
        raise ZenodoRefusedError(
            _("The token is not kept. Ask for the draft again, and give it.")
        ) from error


def zenodo_token_forget(*, draft_id: int) -> None:
    """Forget the token of a draft."""
    ZenodoDraft.objects.filter(pk=draft_id).update(sealed_token=None)


def zenodo_draft_made(*, draft: ZenodoDraft, number: int, page: str) -> None:
    """Note where a draft is, and forget its token."""
    ZenodoDraft.objects.filter(pk=draft.pk).update(number=number, page=page, sealed_token=None)


def zenodo_address(host: str) -> str:
    """Return where a Zenodo is."""
    address: str = settings.ZENODO_ADDRESSES[host]
    return address


def _cipher() -> Fernet:
    key = salted_hmac("ranking.services.publishing.zenodo", "", algorithm="sha256").digest()
    return Fernet(urlsafe_b64encode(key))
