"""Create drafts on Zenodo over its REST API (developers.zenodo.org); they are never published from here.

Written from the documentation and tested against a server that imitates it, not against Zenodo itself.
"""

import http.client
import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from hashlib import md5
from http import HTTPStatus
from typing import IO, Any, Final
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import HTTPRedirectHandler, Request, build_opener

from django.conf import settings
from django.utils.translation import gettext as _

from campaign.models import Job, JobKind
from campaign.services.jobs import JobProgress, ends, handles
from ranking.models import PublishedResult
from ranking.selectors.published_results import bundle_opened
from ranking.services.publishing.bundles import (
    SEALED,
    TOKEN,
    ZenodoRefusedError,
    zenodo_token,
)

#: Called with the number of bytes sent.
Sent = Callable[[int], None]
#: Timeout of a request.
SECONDS = 60.0
_ATTEMPTS: Final = 3
_LONGEST: Final = 1 << 20
_PIECE: Final = 1 << 16
_OFTEN_PASSING: Final = frozenset({429, 500, 502, 503, 504})
_REFUSED: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


#: Wait before a retry; replaced in tests.
pause = time.sleep


class ZenodoError(Exception):
    """Zenodo refused or failed; the message is for organisers."""


class _NoRedirects(HTTPRedirectHandler):
    """Handler that refuses redirects, which would send the token elsewhere."""

    def redirect_request(self, *_args: Any, **_named: Any) -> None:
        return None


class Zenodo:
    """A Zenodo site, for one user.

    Parameters
    ----------
    address : str
        "https://sandbox.zenodo.org", for instance.
    token : str
        The user's token, with the scope `deposit:write`.

    Raises
    ------
    ZenodoError
        If the token does not fit a header: the error of the HTTP library would include the token.
    """

    def __init__(self, address: str, token: str) -> None:
        if TOKEN.match(token) is None:
            raise ZenodoError(_token_refused())
        self._address, self._token = address.rstrip("/"), token
        self._opener = build_opener(_NoRedirects)

    def draft_make(
        self,
        metadata: Mapping[str, Any],
        *,
        file_name: str,
        opened: Callable[[], IO[bytes]],
        size: int,
        sent: Sent,
    ) -> tuple[int, str]:
        """Create a draft with one file; it is deleted if the file cannot be sent.

        Returns the number of the draft, and the address of its page for the owner.

        Raises
        ------
        ZenodoError
            If Zenodo rejects the token or the metadata, or does not respond.
        """
        drafts = f"{self._address}/api/deposit/depositions"
        data = json.dumps({"metadata": metadata}).encode()
        kind = {"Content-Type": "application/json"}
        # A request without a response may have created a draft, and a retry would create another.
        made = self._again(lambda: self._once("POST", drafts, data, kind), is_safe=False)
        number, links = made.get("id"), made.get("links")
        if not isinstance(number, int):
            raise ZenodoError(_("Unexpected response from Zenodo."))
        bucket, page = (
            str(links.get(name)) if isinstance(links, dict) else "" for name in ("bucket", "html")
        )
        try:
            if not bucket.startswith(f"{self._address}/"):
                raise ZenodoError(
                    _("Zenodo returned an upload address on another host. Nothing was uploaded.")
                )
            place = f"{bucket}/{quote(file_name)}"
            # Uploading the same file again replaces the earlier one.
            self._again(lambda: self._file_send(place, opened, size, sent), is_safe=True)
        except BaseException:
            with suppress(ZenodoError, OSError, http.client.HTTPException):
                self._once("DELETE", f"{drafts}/{number}", None, {})
            raise
        own = page.startswith(f"{self._address}/")
        return number, page if own else f"{self._address}/uploads/{number}"

    def _file_send(
        self, address: str, opened: Callable[[], IO[bytes]], size: int, sent: Sent
    ) -> Mapping[str, Any]:
        hashed = md5(usedforsecurity=False)
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        with opened() as stream:

            def pieces() -> Iterator[bytes]:
                for piece in iter(partial(stream.read, _PIECE), b""):
                    hashed.update(piece)
                    sent(stream.tell())
                    yield piece

            answer = self._once("PUT", address, pieces(), headers)
        if answer.get("checksum") != f"md5:{hashed.hexdigest()}":
            raise ZenodoError(_("Upload failed: the checksum at Zenodo differs."))
        return answer

    def _again(self, ask: Callable[[], Mapping[str, Any]], *, is_safe: bool) -> Mapping[str, Any]:
        """Make up to three attempts while the problem may be temporary.

        Without a response, retry only requests that are safe to repeat.
        """
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return ask()
            except HTTPError as error:
                with error:
                    if error.code not in _OFTEN_PASSING or attempt == _ATTEMPTS:
                        raise ZenodoError(_in_words(error)) from error
            except (URLError, TimeoutError, OSError, http.client.HTTPException) as error:
                if attempt == _ATTEMPTS or not is_safe:
                    raise ZenodoError(
                        _(
                            "Zenodo does not respond. Check on Zenodo whether a draft exists, and try again later."
                        )
                    ) from error
            pause(4.0**attempt / 4)
        raise AssertionError  # the last attempt returned or raised

    def _once(
        self, method: str, address: str, data: Any, headers: Mapping[str, str]
    ) -> Mapping[str, Any]:
        request = Request(  # noqa: S310  of the settings, and checked
            address,
            data=data,
            method=method,
            headers={**headers, "Authorization": f"Bearer {self._token}"},
        )
        with self._opener.open(request, timeout=SECONDS) as answer:
            text = answer.read(_LONGEST)
        return _read(text)


def _read(text: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(text or b"{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ZenodoError(_("Unexpected response from Zenodo."))
    return found


def _token_refused() -> str:
    return _(
        "Zenodo rejected the token. It needs the deposit:write scope and must be from this site."
    )


def _in_words(error: HTTPError) -> str:
    if error.code in _REFUSED:
        return _token_refused()
    if error.code in _OFTEN_PASSING:
        return _("Zenodo is unavailable (%(code)d). Try again later.") % {"code": error.code}
    try:
        answer = _read(error.read(_LONGEST))
    except (ZenodoError, OSError):
        answer = {}
    said = [str(answer.get("message") or error.reason)]
    listed = answer.get("errors")
    said += [
        f"{each.get('field', '')}: {each.get('message', '')}"
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, dict)
    ]
    return _("Zenodo rejected the draft (%(code)d): %(said)s") % {
        "code": error.code,
        "said": " ".join(said)[:500],
    }


@handles(JobKind.ZENODO_DRAFT, ZenodoError, ZenodoRefusedError)
def _make(job: Job, progress: JobProgress) -> dict[str, Any]:
    asked = job.parameters
    result = PublishedResult.objects.select_related("bundle").get(pk=asked["result"])
    bundle = result.bundle
    if bundle is None:  # bundles are never removed
        return {}
    number, page = Zenodo(settings.ZENODO_ADDRESSES[asked["host"]], zenodo_token(job)).draft_make(
        asked["metadata"],
        file_name=f"quintet-{result.address}.zip",
        opened=lambda: bundle_opened(bundle),
        size=bundle.size,
        sent=lambda count: progress(count, bundle.size),
    )
    return {"number": number, "page": page}


@ends(JobKind.ZENODO_DRAFT)
def _forget(job: Job) -> None:
    """Delete the token, which is kept only as long as the job needs it."""
    kept = {name: value for name, value in job.parameters.items() if name != SEALED}
    Job.objects.filter(pk=job.pk).update(parameters=kept)
