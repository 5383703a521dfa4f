"""nginx's configuration as it is written; `python -m tests.attacks.proxy` tries it with a real nginx."""

import inspect
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
import yaml
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from rest_framework.parsers import MultiPartParser

from annotation.importing import answers
from annotation.pages import systems
from campaign.api.requests import BodyParser
from campaign.formats import judge_lists, yaml_tree
from campaign.services.uploads import MAX_PART_BYTES
from config.web_worker import BODY_BYTES
from deploy.nginx import Options, main, rendered
from launcher.data_directory import CHECKOUT
from protocols.quiz import views as snippets
from ranking.pages import metrics
from tests.containers import COMPOSE

MEGABYTE = 2**20
#: What the other fields of a form add.
FORM_BYTES = 100_000
#: Limit of the files in one request, by the name of the address.
MOST_BYTES = {
    # Files without a limit of their own: as much as one request takes.
    "upload": BODY_BYTES - FORM_BYTES,
    "api-upload-content": MAX_PART_BYTES,
    "answers": answers.MAX_BYTES,
    "api-answers": answers.MAX_BYTES,
    "suggestions": answers.MAX_BYTES,
    "api-suggestions": answers.MAX_BYTES,
    "system-add": systems.MAX_BYTES,
    "api-systems": systems.MAX_BYTES,
    "metrics": metrics.MAX_BYTES,
    "api-metrics": metrics.MAX_BYTES,
    "judges-add": judge_lists.MAX_BYTES,
    "snippets": snippets.MAX_BYTES,
    "campaign-file": yaml_tree.MAX_BYTES,
    "campaign-new-file": yaml_tree.MAX_BYTES,
    "api-campaign-file": yaml_tree.MAX_BYTES,
}
#: Arguments of addresses.
ARGUMENTS = {
    "slug": "museum",
    "task_id": 3,
    "file_id": 4,
    "upload_id": uuid4(),
}

OPTIONS = Options(
    server_name="campaign.example.org",
    certificate="/etc/ssl/campaign.pem",
    certificate_key="/etc/ssl/campaign.key",
    url_prefix="/quintet",
)
PROXY: dict[str, Any] = COMPOSE["services"]["proxy"]


def is_for_files(address: str) -> bool:
    """Return whether nginx lets large bodies through at an address."""
    [pattern] = re.findall(
        r"location ~ (\S+) \{\s*client_max_body_size 128m;",
        rendered(OPTIONS),
    )
    return re.search(pattern, f"/quintet{address}") is not None


def upload_addresses() -> dict[str, tuple[str, int]]:
    """Return address and limit of each view that reads files, by name; those without a known limit have none."""
    found = {}
    for pattern, names in url_patterns(get_resolver()):
        if takes_files(pattern.callback):
            name = str(pattern.name)
            address = reverse(name, kwargs={key: ARGUMENTS[key] for key in names})
            found[name] = (address, MOST_BYTES.get(name, 10**12))
    return found


def url_patterns(
    resolver: URLResolver,
    names: frozenset[str] = frozenset(),
) -> Iterator[tuple[URLPattern, frozenset[str]]]:
    """Yield each pattern with the names of its arguments."""
    for pattern in resolver.url_patterns:
        all_names = names | set(pattern.pattern.converters)
        if isinstance(pattern, URLResolver):
            yield from url_patterns(pattern, all_names)
        else:
            yield pattern, all_names


def takes_files(callback: Any) -> bool:
    """Return whether a view reads files: by a parser of REST, or `request.FILES` in it or in a function it calls."""
    if view := getattr(callback, "cls", None):
        parsers = getattr(view, "parser_classes", None) or []
        return any(
            issubclass(parser, MultiPartParser | BodyParser) for parser in parsers
        )
    function = inspect.unwrap(callback)
    functions = {
        name: inspect.getsource(inspect.unwrap(value))
        for name, value in vars(inspect.getmodule(function)).items()
        if inspect.isfunction(inspect.unwrap(value))
        and inspect.unwrap(value).__module__ == function.__module__
    }
    readers = {name for name, source in functions.items() if "request.FILES" in source}
    while more := {
        name
        for name, source in functions.items()
        if name not in readers
        and any(re.search(rf"\b{reader}\(", source) for reader in readers)
    }:
        readers |= more
    return function.__name__ in readers


def directives(name: str, **changes: Any) -> list[str]:
    """What follows each directive of that name."""
    text = rendered(replace(OPTIONS, **changes))
    return re.findall(rf"^\s*{name}\s+([^;{{]+);", text, re.MULTILINE)


def test_everything_is_filled_in() -> None:
    assert re.search(r"\$\{[A-Z]", rendered(OPTIONS)) is None
    assert rendered(OPTIONS).count("{") == rendered(OPTIONS).count("}")
    assert "location /quintet/static/ {" in rendered(OPTIONS)
    assert "location / {" in rendered(replace(OPTIONS, url_prefix=""))


class TestTheWebServers:
    def test_are_one_on_this_host_by_default(self) -> None:
        assert directives("server") == ["127.0.0.1:8000"]
        assert "resolve" not in rendered(OPTIONS)

    def test_may_be_several(self, capsys: pytest.CaptureFixture[str]) -> None:
        arguments = "--server-name a.org --certificate c --key k --upstream web1:8000 --upstream web2:8000"
        assert main(arguments.split()) == 0
        printed = capsys.readouterr().out
        assert re.findall(r"^\s*server (\S+);", printed, re.MULTILINE) == [
            "web1:8000",
            "web2:8000",
        ]

    def test_are_looked_up_again_with_a_name_server(self) -> None:
        changes = {"upstreams": ("web1:8000", "web2:8000"), "resolver": "10.0.0.2"}
        assert directives("server", **changes) == [
            "web1:8000 resolve",
            "web2:8000 resolve",
        ]
        assert directives("resolver", **changes) == ["10.0.0.2 valid=2s"]
        # Open-source nginx resolves only servers in shared memory.
        assert directives("zone", **changes) == ["quintet 64k"]


class TestOtherHostNames:
    def test_are_closed_over_http_and_https(self) -> None:
        assert directives("listen") == [
            "80 default_server",
            "443 ssl http2 default_server",
            "80",
            "443 ssl http2",
        ]
        [other] = re.findall(r"server_name _;[^}]*\}", rendered(OPTIONS))
        assert "return 444;" in other
        assert "ssl_reject_handshake on;" in other

    def test_may_be_left_to_another_site(self) -> None:
        assert "default_server" not in rendered(
            replace(OPTIONS, answers_other_names=False),
        )

    @pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::1", "[2001:db8::1]"])
    def test_cannot_be_told_from_an_address(self, address: str) -> None:
        with pytest.raises(ValueError, match="SERVER_NAME is an IP address"):
            rendered(replace(OPTIONS, server_name=address))
        assert address in rendered(
            replace(OPTIONS, server_name=address, answers_other_names=False),
        )

    def test_get_the_limits_of_handshakes_and_headers(self) -> None:
        """nginx applies those of the default server before it knows the name."""
        for name in (
            "ssl_protocols",
            "ssl_session_cache",
            "ssl_session_timeout",
            "ssl_session_tickets",
        ):
            default, of_quintet = directives(name)
            assert default == of_quintet
        assert directives("client_header_timeout") == ["15s", "15s"]


@pytest.mark.parametrize("https_port", ["8443", "127.0.0.1:8443", "[::]:8443"])
def test_http_redirects_to_the_port_of_https(https_port: str) -> None:
    text = rendered(replace(OPTIONS, https_port=https_port))
    assert "return 308 https://campaign.example.org$quintet_port$request_uri;" in text
    ports = re.search(r'map (\S+) \$quintet_port \{\s*443 "";\s*default "(\S+)";', text)
    assert ports is not None
    assert ports.groups() == ("8443", ":8443")


class TestContainers:
    def test_the_templates_have_every_value(self) -> None:
        values = {*PROXY["environment"], "RESOLVER"}  # by first_resolver.envsh
        for template in CHECKOUT.glob("deploy/*.template"):
            assert set(re.findall(r"\$\{([A-Z_]+)\}", template.read_text())) <= values
            assert any(
                mount.startswith(f"./deploy/{template.name}:")
                for mount in PROXY["volumes"]
            )

    def test_the_web_containers_are_looked_up_again(self) -> None:
        text = (CHECKOUT / "deploy/nginx_upstream.conf.template").read_text()
        assert "server ${UPSTREAM} resolve;" in text
        assert "resolver ${RESOLVER} valid=2s;" in text

    @pytest.mark.parametrize(
        ("name_servers", "resolver"),
        [("127.0.0.11", "127.0.0.11"), ("10.89.0.1 192.0.2.53", "10.89.0.1"), ("[fd00::1]", "[fd00::1]")],
    )  # fmt: skip
    def test_only_the_runtimes_name_server_is_asked(
        self,
        name_servers: str,
        resolver: str,
    ) -> None:
        script = CHECKOUT / "docker/first_resolver.envsh"
        # The image sources it only if it is executable.
        assert os.access(script, os.X_OK)
        printed = subprocess.run(
            ["sh", "-euc", f'. "{script}"; echo "$RESOLVER"'],
            env={"NGINX_LOCAL_RESOLVERS": name_servers},
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        assert printed == f"{resolver}\n"


def test_client_headers_about_addresses_are_overwritten() -> None:
    headers = dict(each.split(None, 1) for each in directives("proxy_set_header"))
    assert (
        headers["X-Forwarded-For"] == "$remote_addr"
    )  # not $proxy_add_x_forwarded_for
    assert headers["X-Forwarded-Proto"] == "https"
    assert all(
        headers[name] == '""' for name in ("X-Forwarded-Host", "X-Real-IP", "Forwarded")
    )
    assert headers["X-Forwarded-Prefix"] == '"/quintet"'
    assert headers["X-Request-ID"] == "$request_id"
    # A header set in a location would undo all those of the server.
    inside = re.findall(r"location [^{]+\{([^}]*)\}", rendered(OPTIONS))
    assert len(inside) == 7
    assert not any("proxy_set_header" in each for each in inside)


def test_logs_hold_neither_queries_nor_links_nor_addresses() -> None:
    log_format = re.search(r"log_format quintet ([^;]+);", rendered(OPTIONS))
    assert log_format is not None
    names = set(re.findall(r"\$(\w+)", log_format[1]))
    assert not names & {
        "request",
        "request_uri",
        "args",
        "query_string",
        "uri",
        "http_referer",
    }
    assert not names & {
        "remote_addr",
        "http_user_agent",
        "http_x_forwarded_for",
        "remote_user",
    }
    assert directives("access_log") == ["/var/log/nginx/quintet.log quintet"] * 3
    assert directives("error_log") == ["/dev/null emerg"] * 3


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/i/SECRET/", "/i/[secret]"),
        ("/quintet/i/SECRET", "/quintet/i/[secret]"),
        ("/i/SECRET/i/SECRET", "/i/[secret]"),
        ("/panel/SECRET/events/", "/panel/[secret]"),
        ("/review/SECRET/0123/ranking.csv", "/review/[secret]"),
        ("/judge/museum/", "/judge/museum/"),
        ("/campaigns/museum/panels/4/", "/campaigns/museum/panels/4/"),
    ],
)
def test_the_secret_of_a_link_is_left_out_of_the_log(path: str, logged: str) -> None:
    pattern = re.search(r"^\s*~(\S+) \"", rendered(OPTIONS), re.MULTILINE)
    assert pattern is not None
    found = re.match(pattern[1].replace("?<", "?P<"), path)
    assert (f"{found[1]}{found[2]}/[secret]" if found else path) == logged


def test_requests_arrive_whole_and_bounded() -> None:
    assert (
        directives("proxy_request_buffering") == directives("proxy_buffering") == ["on"]
    )
    assert directives("client_body_timeout") == ["15s"]
    assert [each.split()[0] for each in directives("limit_req")] == [
        "zone=quintet_sign_in",
        "zone=quintet_requests",
        "zone=quintet_requests",
    ]


def test_forty_judges_behind_one_address_can_open_a_page_at_once() -> None:
    """hypothesis/h 5652, gnomad-browser 1822: classes were refused. nginx counts each request over HTTP/2 as a connection."""
    [streams] = directives("http2_max_concurrent_streams")
    limits = dict(each.split() for each in directives("limit_conn"))
    assert 40 * int(streams) <= int(limits["quintet_files"])


def test_nginx_lets_the_files_of_every_upload_address_through() -> None:
    """Quintet names its own limit of a file in words, so nginx must not refuse it first."""
    assert directives("client_max_body_size") == ["3m", "128m"]
    assert BODY_BYTES == 128 * 2**20
    refused = {
        name: most_bytes
        for name, (address, most_bytes) in upload_addresses().items()
        if most_bytes + FORM_BYTES
        > (BODY_BYTES if is_for_files(address) else 3 * MEGABYTE)
    }
    assert refused == {}


def test_every_address_that_takes_files_has_a_known_limit() -> None:
    assert set(upload_addresses()) == set(MOST_BYTES)


def test_only_addresses_with_files_take_more() -> None:
    """An attacker without an account could make nginx keep as much of each request."""
    for address in (
        reverse("upload-new", args=["museum"]),
        reverse("upload-progress", args=["museum", uuid4()]),
        reverse("system", args=["museum", 3, 4]),
        reverse("api-system", args=[3, 4]),
        reverse("campaign-file", args=["museum"]),
        reverse("judging-assignments"),
        reverse("account_login"),
    ):
        assert not is_for_files(address)


def test_the_ingress_of_the_chart_lets_as_much_through() -> None:
    values = yaml.safe_load((CHECKOUT / "deploy/helm/quintet/values.yaml").read_text())
    annotations = values["ingress"]["annotations"]
    size = annotations["nginx.ingress.kubernetes.io/proxy-body-size"]
    assert size == directives("client_max_body_size")[1]


@pytest.mark.parametrize(
    ("option", "value", "name"),
    [
        ("server_name", "a;} evil {", "SERVER_NAME"),
        ("url_prefix", "quintet", "URL_PREFIX"),
        ("url_prefix", "/quintet/", "URL_PREFIX"),
        ("log", "/var/log/$host.log", "LOG"),
        ("upstreams", ("a:1", "b:1; evil"), "UPSTREAM"),
        ("resolver", "10.0.0.2 10.0.0.3", "RESOLVER"),
    ],
)
def test_values_that_would_say_something_else_are_refused(
    option: str,
    value: str | tuple[str, ...],
    name: str,
) -> None:
    changed: dict[str, Any] = {option: value}
    with pytest.raises(ValueError, match=name):
        rendered(replace(OPTIONS, **changed))
