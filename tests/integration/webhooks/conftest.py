"""A receiver of webhooks: a real HTTP server on this machine, which answers as a test tells it."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from campaign.models import Campaign, WebhookEndpoint
from campaign.services.webhooks import webhook_create
from tests.factories import make_campaign


@dataclass
class Receiver:
    """What came in, and what is answered: each code once, the last one for good."""

    url: str = ""
    codes: list[int] = field(default_factory=lambda: [200])
    location: str = ""
    got: list[tuple[dict[str, str], str]] = field(default_factory=list)
    #: Set to let a receiver answer that waits.
    may_answer: threading.Event = field(default_factory=threading.Event)
    drips: bool = False

    @property
    def ids(self) -> list[str]:
        return [headers["webhook-id"] for headers, _body in self.got]


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOKS_ALLOW_PRIVATE = settings.WEBHOOKS_ALLOW_HTTP = True
    told = Receiver()
    told.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            told.got.append(
                ({name.lower(): v for name, v in self.headers.items()}, body),
            )
            told.may_answer.wait(30)
            code = told.codes.pop(0) if len(told.codes) > 1 else told.codes[0]
            self.send_response(code)
            if told.location:
                self.send_header("Location", told.location)
            self.send_header("Content-Length", "100000000" if told.drips else "0")
            self.end_headers()

        def log_message(self, *_args: Any) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(
        target=server.serve_forever,
        kwargs={"poll_interval": 0.02},
    )
    thread.start()
    told.url = f"http://127.0.0.1:{server.server_port}/hook?x=1"
    yield told
    told.may_answer.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign()


@pytest.fixture
def endpoint(campaign: Campaign, receiver: Receiver) -> WebhookEndpoint:
    events = ["judgments.created", "ranking.finished", "campaign.closed"]
    return webhook_create(campaign=campaign, url=receiver.url, events=events)
