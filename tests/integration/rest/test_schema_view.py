"""`/api/schema/` is built once a process, however often it is asked for."""

import pytest
from django.test import Client
from drf_spectacular.generators import SchemaGenerator

from config.api import views

pytestmark = pytest.mark.thorough


@pytest.fixture(autouse=True)
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How often it was built, in a process that has built nothing yet."""
    made: list[str] = []
    build = SchemaGenerator.get_schema

    def counted(self: SchemaGenerator, **options: object) -> object:
        made.append("built")
        return build(self, **options)  # type: ignore[no-untyped-call]

    monkeypatch.setattr(SchemaGenerator, "get_schema", counted)
    views._body.cache_clear()
    return made


def test_schema_is_built_once(client: Client, builds: list[str]) -> None:
    first = client.get("/api/schema/")
    again = client.get("/api/schema/", headers={"Accept": "application/json"})
    third = client.get("/api/schema/?version=7")
    assert builds == ["built"] * 2  # as YAML, and as JSON
    assert first.content == third.content
    assert first.content.startswith(b"openapi: 3")
    assert again.json()["openapi"].startswith("3")
    assert "/api/schema/" not in again.json()["paths"]
