"""nginx's configuration as it is written; `python -m tests.attacks.proxy` tries it with a real nginx."""

import re
from uuid import uuid4

import pytest
from django.urls import reverse

from annotation.pages.systems import MAX_BYTES
from deploy.nginx import rendered

VALUES = {
    "SERVER_NAME": "campaign.example.org",
    "CERTIFICATE": "/etc/ssl/campaign.pem",
    "CERTIFICATE_KEY": "/etc/ssl/campaign.key",
    "URL_PREFIX": "/quintet",
    "UPSTREAM": "127.0.0.1:8000",
    "HTTP_PORT": "80",
    "HTTPS_PORT": "443",
    "LOG": "/var/log/nginx/quintet.log",
}


def directives(name: str, **values: str) -> list[str]:
    """What follows each directive of that name."""
    return re.findall(rf"^\s*{name}\s+([^;]+);", rendered(VALUES | values), re.MULTILINE)


def test_everything_is_filled_in() -> None:
    assert re.search(r"\$\{[A-Z]", rendered(VALUES)) is None
    assert rendered(VALUES).count("{") == rendered(VALUES).count("}")
    assert "location /quintet/static/ {" in rendered(VALUES)
    assert "location / {" in rendered(VALUES | {"URL_PREFIX": ""})


def test_what_clients_say_of_themselves_is_overwritten() -> None:
    headers = dict(each.split(None, 1) for each in directives("proxy_set_header"))
    assert headers["X-Forwarded-For"] == "$remote_addr"  # not $proxy_add_x_forwarded_for
    assert headers["X-Forwarded-Proto"] == "https"
    assert all(headers[name] == '""' for name in ("X-Forwarded-Host", "X-Real-IP", "Forwarded"))
    assert headers["X-Request-ID"] == "$request_id"
    # A header set in a location would undo all those of the server.
    inside = re.findall(r"location [^{]+\{([^}]*)\}", rendered(VALUES))
    assert len(inside) == 6
    assert not any("proxy_set_header" in each for each in inside)


def test_logs_hold_neither_queries_nor_links() -> None:
    log_format = re.search(r"log_format quintet ([^;]+);", rendered(VALUES))
    assert log_format is not None
    names = set(re.findall(r"\$(\w+)", log_format[1]))
    assert not names & {"request", "request_uri", "args", "query_string", "uri", "http_referer"}
    assert directives("access_log") == ["/var/log/nginx/quintet.log quintet"] * 2
    assert directives("error_log") == ["/dev/null emerg"] * 2


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/i/SECRET/", "/i/[secret]"),
        ("/quintet/i/SECRET", "/quintet/i/[secret]"),
        ("/i/SECRET/i/SECRET", "/i/[secret]"),
        ("/panel/SECRET/events/", "/panel/[secret]"),
        ("/judge/museum/", "/judge/museum/"),
        ("/campaigns/museum/panels/4/", "/campaigns/museum/panels/4/"),
    ],
)
def test_the_secret_of_a_link_is_left_out_of_the_log(path: str, logged: str) -> None:
    pattern = re.search(r"^\s*~(\S+) \"", rendered(VALUES), re.MULTILINE)
    assert pattern is not None
    found = re.match(pattern[1].replace("?<", "?P<"), path)
    assert (f"{found[1]}{found[2]}/[secret]" if found else path) == logged


def test_requests_arrive_whole_and_bounded() -> None:
    assert directives("proxy_request_buffering") == directives("proxy_buffering") == ["on"]
    assert directives("client_header_timeout") == directives("client_body_timeout") == ["15s"]
    assert [each.split()[0] for each in directives("limit_req")] == [
        "zone=quintet_sign_in",
        "zone=quintet_requests",
        "zone=quintet_requests",
    ]


def test_only_files_in_one_request_may_be_larger() -> None:
    """As large as the form of a system's outputs allows, with what a form adds."""
    assert directives("client_max_body_size") == ["3m", "21m"]
    assert MAX_BYTES + 100_000 < 21 * 2**20
    [files] = re.findall(r"location ~ (\S+) \{\s*client_max_body_size 21m;", rendered(VALUES))
    upload = uuid4()
    for address in (
        reverse("system-add", args=["museum", 3]),
        reverse("api-systems", args=[3]),
        reverse("upload", args=["museum", upload]),
    ):
        assert re.search(files, f"/quintet{address}")
    for address in (
        reverse("upload-new", args=["museum"]),
        reverse("upload-progress", args=["museum", upload]),
        reverse("system", args=["museum", 3, 4]),
        reverse("api-system", args=[3, 4]),
        reverse("campaign-file", args=["museum"]),
        reverse("judging-assignments"),
    ):
        assert not re.search(files, f"/quintet{address}")


@pytest.mark.parametrize(
    ("name", "value"), [("SERVER_NAME", "a;} evil {"), ("URL_PREFIX", "quintet"), ("URL_PREFIX", "/quintet/"), ("LOG", "/var/log/$host.log")]
)  # fmt: skip
def test_values_that_would_say_something_else_are_refused(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=name):
        rendered(VALUES | {name: value})
