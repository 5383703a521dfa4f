"""The proxy as shipped, live: TLS, limits, sub-path, log. Needs nginx (`apt-get install nginx-light`).

    python -m tests.attacks.proxy

It starts PostgreSQL, Valkey, the web server and nginx for itself, prints a table and exits with 1 if a promise was not kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from launcher.data_directory import wait_until
from tests.attacks.moving import NAME as MOVING
from tests.attacks.moving import NameServer, web_server_at
from tests.attacks.proxied import HOST, NAME, Proxy, free_port, nginx_version
from tests.benchmarks.web_server import prepare_django, web_server, with_services

if TYPE_CHECKING:
    from campaign.models import User

PREFIX = "/quintet"
# The first version whose open-source edition looks up the names of web servers again.
RESOLVES = (1, 27, 3)
# Emptied by the next run; the address is the same in the process that starts services.
STATIC_ROOT = Path(tempfile.gettempdir()) / "quintet-attacks-static"
MEGABYTE, STREAMED_MB = 1_000_000, 40
SECRET = "ThisIsTheSecretOfALink"


@dataclass(frozen=True)
class Figure:
    """One figure of an attack.

    Attributes:
        what: what was measured, with its unit.
        now: the figure now.
        limit: what it must be, in words.
        held: whether it is.
    """

    what: str
    now: str
    limit: str
    held: bool


def table_print(attack: str, figures: Sequence[Figure]) -> None:
    """Print the figures of an attack, a row each."""
    rows = [("what", "now", "must be", "held")]
    rows += [(f.what, f.now, f.limit, "yes" if f.held else "NO") for f in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
    sys.stdout.write("\n".join([f"== {attack}", *lines, ""]))
    sys.stdout.flush()


def attack() -> list[Figure]:
    """Try each promise of the proxy's configuration; return what came of it."""
    cookie = _judge_session()
    exported = _exported_make(_organiser_make())
    from django.core.management import call_command

    call_command("collectstatic", interactive=False, clear=True, verbosity=0)
    with ExitStack() as held:
        folder = Path(
            held.enter_context(tempfile.TemporaryDirectory(prefix="quintet-proxy-")),
        )
        # nginx of root serves as another account, and keeps bodies there.
        folder.chmod(0o711)
        port, _process = held.enter_context(web_server())
        # Nobody listens at the second: requests go to the first.
        upstreams = (f"{HOST}:{port}", f"{HOST}:{free_port()}")
        proxy = held.enter_context(Proxy(folder, upstreams=upstreams, prefix=PREFIX))
        return [
            *_pages(proxy, cookie),
            *_names(proxy),
            *_streams(proxy, *exported),
            *_limits(proxy),
            *_log(proxy),
            *_moves(folder / "moves"),
        ]


def _judge_session() -> str:
    """Make a campaign with a judge; return the Cookie header of the judge's session."""
    from django.test import Client

    from tests import factories

    task = factories.make_task(factories.make_campaign("museum"))
    judge = factories.make_judge(task.test_set.campaign)
    assert judge.user is not None
    browser = Client()
    browser.force_login(judge.user)
    return "; ".join(
        f"{name}={morsel.value}" for name, morsel in browser.cookies.items()
    )


def _organiser_make() -> User:
    from campaign.models import Campaign
    from tests.factories import make_organiser

    return make_organiser(Campaign.objects.get(slug="museum"))


def _exported_make(organiser: User) -> tuple[str, str, str]:
    """Keep an exported file; return its address, a token of somebody who may have it, and its digest."""
    from campaign.models import Task
    from campaign.services.api_tokens import token_create
    from campaign.services.exported_files import exported_file_keep

    task = Task.objects.get()
    file = exported_file_keep(
        task=task,
        content=(bytes([number]) * MEGABYTE for number in range(STREAMED_MB)),
        by=organiser,
        kind="counted",
        file_format="five-way-csv",
        name="counted.csv",
        until=1,
        watermark=1,
    )
    _token, key = token_create(user=organiser)
    return f"/api/v1/tasks/{task.pk}/exports/{file.pk}/content/", key, file.digest


def _streams(proxy: Proxy, path: str, key: str, digest: str) -> list[Figure]:
    """Read an exported file slowly from an nginx whose disk takes nothing: it is to be passed on, and not cut."""
    proxy.disk_gone()
    with proxy.reading(f"{PREFIX}{path}", {"Authorization": f"Token {key}"}) as answer:
        received = hashlib.sha256(answer.read(MEGABYTE))
        time.sleep(2)  # In which nginx would have read all of it.
        while part := answer.read(MEGABYTE):
            received.update(part)
    whole = received.hexdigest() == digest
    return [
        _said(
            f"{STREAMED_MB} MB of an export, read slowly, arrive with its disk full",
            whole,
            True,
        ),
    ]


def _said(what: str, now: object, wanted: object) -> Figure:
    return Figure(what, str(now), str(wanted), now == wanted)


def _pages(proxy: Proxy, cookie: str) -> list[Figure]:
    from django.conf import settings

    plain = proxy.ask("GET", f"{PREFIX}/sign-in/?next=a", secure=False)
    page = proxy.ask("GET", f"{PREFIX}/sign-in/")
    judging = proxy.ask("GET", f"{PREFIX}/judge/museum/", headers={"Cookie": cookie})
    style = page.text.partition('href="')[2].partition('"')[0]
    lent = proxy.ask(
        "POST",
        f"{PREFIX}/api/v1/judging/assignments/",
        '{"campaign": "museum"}',
        headers={
            "Content-Type": "application/json",
            "Cookie": f"{cookie}; {settings.CSRF_COOKIE_NAME}={'a' * 64}",
            "X-CSRFToken": "a" * 64,
            "Origin": proxy.origin,
        },
    )
    to = f"{proxy.origin}{PREFIX}/sign-in/?next=a"
    statuses = {proxy.ask("GET", f"{PREFIX}/healthz").status for _ in range(20)}
    signed_in = proxy.sign_in("correct horse battery")
    hsts = "max-age=31536000"
    cookies = page.headers.get_all("Set-Cookie") or []
    rightly = all(f"Path={PREFIX}/" in each and "Secure" in each for each in cookies)
    return [
        _said("one of two web servers is away: 20 requests", statuses, {200}),
        _said(
            "HTTP leads to HTTPS on its port",
            (plain.status, plain.headers["Location"]),
            (308, to),
        ),
        _said("HSTS, once", page.headers.get_all("Strict-Transport-Security"), [hsts]),
        _said(
            "cookies for the path alone, secure",
            bool(cookies) and rightly,
            wanted=True,
        ),
        _said("a style sheet", proxy.ask("GET", style).status, 200),
        _said("the judge's page", judging.status, 200),
        _said(
            "its API is under the path",
            f'"{PREFIX}/api/v1/judging/"' in judging.text,
            wanted=True,
        ),
        _said("a HIT is lent by REST", lent.status, 200),
        _said(
            "the API refuses who has no token",
            proxy.ask("GET", f"{PREFIX}/api/v1/campaigns/").status,
            401,
        ),
        _said(
            "an organiser signs in",
            (signed_in.status, signed_in.headers["Location"]),
            (302, f"{PREFIX}/"),
        ),
    ]


def _names(proxy: Proxy) -> list[Figure]:
    """Ask for other host names, as scanners do, and forge the path of a proxy."""
    forged = {"X-Forwarded-Prefix": "/forged"}
    return [
        _said(
            "HTTP for another host name is closed",
            proxy.is_closed_over_http_to("x.org"),
            True,
        ),
        _said("HTTPS, too", proxy.is_closed_to("x.org"), True),
        _said(
            "another Host after the handshake, too",
            proxy.is_closed_to("x.org", server_name=NAME),
            True,
        ),
        _said(
            "a forged path of the proxy changes nothing",
            proxy.ask("GET", f"{PREFIX}/sign-in/", headers=forged).status,
            200,
        ),
    ]


def _limits(proxy: Proxy) -> list[Figure]:
    large = proxy.ask("POST", f"{PREFIX}/language/", "x" * 4_000_000)
    file = proxy.ask("POST", f"{PREFIX}/api/v1/tasks/1/suggestions/", "x" * 4_000_000)
    floods = [
        proxy.sign_in("wrong", address=f"203.0.113.{number}") for number in range(40)
    ]
    refused = [each for each in floods if each.status == 429]
    with ExitStack() as held:
        for _ in range(40):
            client = held.enter_context(
                socket.create_connection((HOST, proxy.http_port)),
            )
            client.sendall(
                b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf",
            )
            held.enter_context(proxy.half_sent(f"{PREFIX}/sign-in/"))
        while_held = proxy.ask("GET", f"{PREFIX}/healthz").status
    in_words = all("Try again" in each.text or "again" in each.text for each in refused)
    later = all(int(each.headers["Retry-After"]) > 0 for each in refused)
    return [
        _said("a body of 4 MB", large.status, 413),
        _said("a file of 4 MB without a token, refused by Quintet", file.status, 401),
        Figure(
            "of 40 sign-ins with forged addresses, refused",
            str(len(refused)),
            ">= 25",
            len(refused) >= 25,
        ),
        _said("in words, with when to try again", in_words and later, wanted=True),
        _said("40 half-sent POSTs: another is answered", while_held, 200),
    ]


def _moves(folder: Path) -> list[Figure]:
    """Restart the web server at another address, as a container does."""
    if nginx_version() < RESOLVES:
        sys.stdout.write(
            "This nginx looks names up only once (needs 1.27.3): not tried.\n",
        )
        return []
    folder.mkdir()
    port = free_port()
    with contextlib.closing(NameServer("127.0.0.1")) as names:
        upstreams = (f"{MOVING}:{port}",)
        with Proxy(folder, upstreams=upstreams, resolver=names.resolver) as proxy:
            with web_server_at("127.0.0.1", port):
                arrived = wait_until(
                    lambda: proxy.ask("GET", "/").text == "127.0.0.1",
                    seconds=10,
                )
            names.address = "127.0.0.2"
            with web_server_at("127.0.0.2", port):
                began = time.monotonic()
                moved = wait_until(
                    lambda: proxy.ask("GET", "/").text == "127.0.0.2",
                    seconds=30,
                )
                seconds = time.monotonic() - began
    return [
        _said("the web server by its name", arrived, True),
        Figure(
            "seconds until requests reach its new address",
            f"{seconds:.1f}" if moved else "never",
            "<= 5",
            moved and seconds <= 5,
        ),
    ]


def _log(proxy: Proxy) -> list[Figure]:
    for path in (
        f"/i/{SECRET}/",
        f"/i/{SECRET}",
        f"/panel/{SECRET}/events/",
        f"/i/x/i/{SECRET}",
    ):
        proxy.ask(
            "HEAD",
            f"{PREFIX}{path}?q={SECRET}",
            headers={"Referer": f"https://{HOST}/i/{SECRET}/"},
        )
        proxy.ask("GET", f"{PREFIX}{path}", secure=False)
    proxy.upstream_gone()
    gone = proxy.ask("GET", f"{PREFIX}/i/{SECRET}/").status
    log = proxy.written()
    return [
        _said("lines about links in the log", log.count("[secret]") >= 8, wanted=True),
        _said("secrets in all that nginx wrote", log.count(SECRET), 0),
        _said("with Quintet away", gone, 502),
    ]


if __name__ == "__main__":
    if shutil.which("nginx") is None:
        sys.exit(
            "This attack needs nginx: apt-get install nginx-light, or your system's way.",
        )
    with_services("tests.attacks.proxy")
    prepare_django(
        has_tables=False,
        STATIC_HASHED="0",
        STATIC_ROOT=str(STATIC_ROOT),
        HTTPS="1",
        PROXIES="1",
        URL_PREFIX=PREFIX,
        ALLOWED_HOSTS=f"{HOST},{NAME}",
    )
    found = attack()
    table_print("proxy", found)
    sys.exit(0 if all(figure.held for figure in found) else 1)
