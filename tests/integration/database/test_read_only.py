"""A read-only database: a provider makes it so when its disk is full, and a server that was replaced stays so."""

from collections.abc import Iterator

import pytest
from django.db import InternalError, connection
from django.test import Client, RequestFactory

from config.api.errors import server_error

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def read_only() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        yield
        cursor.execute("RESET default_transaction_read_only")


def test_readyz_names_it() -> None:
    answer = Client().get("/readyz")
    assert (answer.status_code, answer.json()["database"]) == (503, "read-only")


@pytest.mark.parametrize("path", ["/judge/", "/api/v1/judging/assignments/"])
def test_a_request_that_writes_can_be_repeated(path: str) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE anything ()")
    except InternalError:
        answer = server_error(RequestFactory().post(path))
    assert answer.status_code == 503
    assert answer.headers["Retry-After"]
