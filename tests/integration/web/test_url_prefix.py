"""Quintet under a path of its host: whatever a page points to is under that path, and so are its cookies."""

import contextlib
import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from launcher.data_directory import CHECKOUT
from tests.integration.web.conftest import HOST, Server


@pytest.fixture(scope="module")
def quintet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    variables = {
        "URL_PREFIX": "/quintet/",
        "STATIC_ROOT": str(tmp_path_factory.mktemp("static")),
    }
    collect = [
        sys.executable,
        "manage.py",
        "collectstatic",
        "--noinput",
        "--verbosity=0",
    ]
    subprocess.run(collect, check=True, env={**os.environ, **variables}, cwd=CHECKOUT)
    server = Server("--workers=1", application="config.wsgi:application", **variables)
    yield server
    server.kill()


def get(server: Server, path: str) -> tuple[http.client.HTTPResponse, str]:
    with contextlib.closing(server.connect()) as connection:
        connection.request("GET", path, headers={"Host": HOST})
        response = connection.getresponse()
        return response, response.read().decode()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("path", "status"),
    [("/sign-in/", 200), ("/no/such/page/", 404)],
)
def test_pages_point_to_addresses_under_the_path(
    quintet: Server,
    path: str,
    status: int,
) -> None:
    response, page = get(quintet, path)
    assert response.status == status
    links = re.findall(r'(?:href|src|action)="(/[^"]*)"', page)
    assert links
    assert all(link.startswith("/quintet/") for link in links)


@pytest.mark.thorough
def test_cookies_are_for_the_path_alone(quintet: Server) -> None:
    response, _page = get(quintet, "/sign-in/")
    cookies = response.headers.get_all("Set-Cookie") or []
    assert cookies
    assert all("Path=/quintet/;" in cookie for cookie in cookies)


@pytest.mark.thorough
def test_the_api_keeps_the_shape_of_its_errors_and_names_its_place(
    quintet: Server,
) -> None:
    response, body = get(quintet, "/api/no-such/")
    said = json.loads(body)
    assert (response.status, said["detail"], said["instance"]) == (
        404,
        "Page not found.",
        "/quintet/api/no-such/",
    )
    assert "- url: /quintet\n" in get(quintet, "/api/schema/")[1]


@pytest.mark.thorough
@pytest.mark.parametrize("path", ["/sign-in/", "/no/such/page/", "/api/schema/"])
def test_a_proxy_may_leave_the_path_in_place(quintet: Server, path: str) -> None:
    taken_off, left = get(quintet, path), get(quintet, f"/quintet{path}")
    assert taken_off[0].status == left[0].status
    links = [
        re.findall(r'(?:href|src)="(/[^"]*)"', page)
        for _response, page in (taken_off, left)
    ]
    assert links[0] == links[1]
