"""A reader of everything: asks for every address in every way, and keeps every byte of what came back."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import urljoin, urlsplit

from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from playwright.sync_api import APIResponse, Page, Request, Response

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
_PLACE = re.compile(r"<\w+:(\w+)>")
# Whatever names another address in a page, a stylesheet, a module or an answer.
_REFERENCES = (
    r"""(?:href|src|action|formaction|data-\w+)=["']([^"'#]+)""",
    r"""url\(["']?([^"')]+)""",
    r"""(?:from|import)\s*\(?["']([^"']+)""",
    r"""["'](/[\w/.-]+(?:\?[^"'\s]*)?)["']""",
    r""""(https?://[^"\s]+)\"""",
)

# What says that nothing changed can tell something, too.
_CONDITIONS = (("etag", "If-None-Match"), ("last-modified", "If-Modified-Since"))

# A cache that is being filled can keep whoever reads it waiting: better an error than for ever.
STORED = """() => {
    let at = "databases";
    const late = new Promise((_, reject) => setTimeout(() => reject(new Error(`Still reading ${at}`)), 60_000));
    const read = async () => {
        const dump = { local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie };
        dump.databases = (await indexedDB.databases()).map(({ name }) => name);
        dump.caches = {};
        for (const name of await caches.keys()) {
            const cache = await caches.open(name);
            for (const { url } of await cache.keys()) {
                at = url;
                const kept = await cache.match(url, { ignoreVary: true });
                dump.caches[url] = kept && [...kept.headers, await kept.text()];
            }
        }
        at = "registrations";
        dump.workers = (await navigator.serviceWorker.getRegistrations()).map((each) => each.scope);
        dump.requested = performance.getEntriesByType("resource").map(({ name }) => name);
        dump.history = history.state;
        dump.window = window.name;
        dump.document = document.documentElement.outerHTML;
        return JSON.stringify(dump);
    };
    return Promise.race([late, read()]);
}"""


@dataclass
class Crawler:
    """Everything a browser got, by where it came from."""

    page: Page
    got: dict[str, str] = field(default_factory=dict)
    statuses: set[int] = field(default_factory=set)
    finished: list[Request] = field(default_factory=list)

    def listen(self) -> None:
        """Keep what the page itself asks for."""
        self.page.on("requestfinished", lambda request: self.finished.append(request))  # noqa: PLW0108  it needs a function

    def heard(self) -> None:
        """Read what came meanwhile; a body can be read only while nothing else is handled."""
        while self.finished:
            request = self.finished.pop()
            response = request.response()
            assert response is not None
            has_body = (
                response.status != 204
                and not 300 <= response.status < 400
                # Players keep no body; `follow` asks for the file.
                and request.resource_type != "media"
            )
            body = response.body() if has_body else b""
            self._keep(
                f"{request.method} {response.url}",
                response.status,
                _head(response),
                body,
            )

    def stored(self, when: str) -> None:
        """Keep what the browser holds by itself, and the page as it stands."""
        held = self.page.evaluate(STORED)
        self.got[f"browser {when}"] = f"{held} {self.page.context.cookies()}"

    def ask(
        self,
        method: str,
        address: str,
        body: object = None,
        *,
        token: str | None = None,
    ) -> int:
        """Ask with the browser's cookies, without the browser: there are hundreds of ways to ask."""
        cookies = self._cookies
        client = Client(enforce_csrf_checks=True, raise_request_exception=False)
        client.cookies.load(cookies)
        answer = client.generic(
            method,
            address,
            "" if body is None else json.dumps(body),
            content_type="application/json",
            headers={"X-CSRFToken": cookies["csrftoken"] if token is None else token},
        )
        content = b"".join(answer) if answer.streaming else answer.content
        head = f"{answer.headers} {answer.cookies}"
        self._keep(f"{method} {address} {body}", answer.status_code, head, content)
        return answer.status_code

    @cached_property
    def _cookies(self) -> dict[str, str]:
        return {each["name"]: each["value"] for each in self.page.context.cookies()}

    def follow(self, origin: str, address: str, done: set[str]) -> None:
        """Ask for an address and for all that it refers to on our own site, redirects too."""
        waiting = [urljoin(origin, address)]
        while waiting:
            address = waiting.pop()
            if address in done or urlsplit(address).netloc != urlsplit(origin).netloc:
                continue
            done.add(address)
            answer = self._get(address)
            for header, condition in _CONDITIONS:
                if header in answer.headers:
                    self._get(address, **{condition: answer.headers[header]})
            found = (
                f'{_text(answer.body())} href="{answer.headers.get("location", "")}"'
            )
            waiting += [urljoin(address, each) for each in references(found)]

    def _get(self, address: str, **headers: str) -> APIResponse:
        answer = self.page.context.request.get(
            address,
            max_redirects=0,
            headers=headers,
        )
        self._keep(
            f"GET {address} {headers}",
            answer.status,
            _head(answer),
            answer.body(),
        )
        return answer

    def _keep(self, name: str, status: int, head: str, body: bytes) -> None:
        self.statuses.add(status)
        self.got[f"{status} {name}"] = f"{head}\n\n{_text(body)}"


def _text(body: bytes) -> str:
    return body.decode("utf-8", "replace")


def _head(answer: Response | APIResponse) -> str:
    named = (
        answer.headers_array() if isinstance(answer, Response) else answer.headers_array
    )
    return "\n".join(f"{each['name']}: {each['value']}" for each in named)


def references(text: str) -> Iterator[str]:
    """Addresses in a text, of whatever kind it is."""
    for pattern in _REFERENCES:
        yield from (each for each in re.findall(pattern, text) if "{" not in each)


def addresses(values: Mapping[str, object]) -> Iterator[str]:
    """Every address of the URLconf, its places filled with these values."""
    for route in _routes(get_resolver()):
        yield "/" + _PLACE.sub(lambda match: str(values[match[1]]), route)


def _routes(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route
        else:
            yield from _routes(pattern, route)
