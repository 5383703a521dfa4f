"""Compare answers of the API with its OpenAPI description, as strictly as a generated client."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from django.test import Client
from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry
from referencing.jsonschema import DRAFT202012

_DOCUMENT: Final = "urn:description"
#: Lists whose rows give the parts of addresses, with the field that identifies a row.
_LISTS: Final = {
    "version": ("instructions/", "version"),
    "group_id": ("judge-groups/", "id"),
    "judge_id": ("judges/", "id"),
    "panel_id": ("panels/", "id"),
    "rule_id": ("rules/", "id"),
    "name": ("tables/", "name"),
    "webhook_id": ("webhooks/", "id"),
    "machine_id": ("machines/", "id"),
}
_LISTS_OF_TASKS: Final = {
    "analysis_id": ("analyses/", "id"),
    "bad_reference_id": ("bad-references/", "id"),
    "metric_id": ("metrics/", "id"),
    "version": ("published-results/", "version"),
    "ranking_id": ("rankings/", "id"),
    "number": ("segments/", "number"),
    "system_id": ("systems/", "id"),
    "block_id": ("training/", "id"),
}
#: Rows of a list whose own addresses are requested.
_ROWS: Final = 1


@dataclass(frozen=True)
class Description:
    """An OpenAPI document that validates values."""

    document: Mapping[str, Any]

    def errors(self, schema: Mapping[str, Any], value: Any) -> list[str]:
        """Return why the value does not match the schema; empty if it does."""
        validator = Draft202012Validator(
            _with_absolute_references(schema),
            registry=self._registry,
            format_checker=FormatChecker(),
        )
        return [
            f"{error.json_path}: {error.message[:200]}"
            for error in validator.iter_errors(value)
        ]

    def is_object(self, schema: Mapping[str, Any]) -> bool:
        """Return whether a schema describes JSON objects."""
        while "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            schema = self.document["components"]["schemas"][name]
        return "object" in schema.get("type", ()) or "properties" in schema

    @cached_property
    def _registry(self) -> Registry[Any]:
        """The document with all that its references name, which takes longer to find than to check an answer."""
        resource = DRAFT202012.create_resource(self.document)
        registry: Registry[Any] = Registry().with_resource(_DOCUMENT, resource).crawl()
        return registry

    def schemas(self) -> Iterator[dict[str, Any]]:
        """Yield every schema of the document, also those inside others."""
        waiting: list[Any] = [
            self.document["components"]["schemas"],
            self.document["paths"],
        ]
        while waiting:
            part = waiting.pop()
            if isinstance(part, dict):
                yield part
                waiting.extend(part.values())
            elif isinstance(part, list):
                waiting.extend(part)

    def response(self, path: str, status: int) -> Mapping[str, Any] | None:
        """Return the description of a response of GET; None if the status is not described."""
        response = self.document["paths"][path]["get"]["responses"].get(str(status))
        if response is not None and "$ref" in response:
            name = response["$ref"].rpartition("/")[2]
            return dict(self.document["components"]["responses"][name])
        return response


def _with_absolute_references(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_with_absolute_references(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    absolute = {name: _with_absolute_references(part) for name, part in schema.items()}
    if isinstance(schema.get("$ref"), str):
        absolute["$ref"] = _DOCUMENT + schema["$ref"]
    return absolute


class AnswersWalk:
    """Request all GET addresses of a user's campaigns and collect mismatches with the schema.

    Exports of rankings, the most frequent tasks, are requested of one task.

    Attributes
    ----------
    differences : list of str
        Empty if every answer is as described.
    answered : set of str
        Paths that answered with status 200.
    """

    def __init__(self, client: Client, document: Mapping[str, Any]) -> None:
        """Walk all addresses."""
        self._client = client
        self._description = Description(document)
        self.differences: list[str] = []
        self.answered: set[str] = set()
        self._types: set[str] = set()
        has_ranking = False
        for campaign in self._rows("/api/v1/campaigns/"):
            address = f"/api/v1/campaigns/{campaign['slug']}/"
            self._walk(
                address,
                {"slug": [campaign["slug"]], **self._parts(address, _LISTS)},
            )
            for task in self._rows(f"{address}tasks/"):
                address_of_task = f"/api/v1/tasks/{task['id']}/"
                parts = self._parts(address_of_task, _LISTS_OF_TASKS)
                self._walk(address_of_task, {"task_id": [task["id"]], **parts})
                is_ranking = task["protocol"] == "ranking"
                if not (is_ranking and has_ranking):
                    self._exports(address_of_task)
                has_ranking = has_ranking or is_ranking

    def _rows(self, address: str) -> list[Any]:
        answer = self._client.get(address).json()
        return list(answer["results"]) if "results" in answer else []

    def _parts(
        self,
        address: str,
        lists: Mapping[str, tuple[str, str]],
    ) -> dict[str, Sequence[Any]]:
        parts: dict[str, Sequence[Any]] = {"ending": ["json", "csv"]}
        for part, (path, field) in lists.items():
            parts[part] = [row[field] for row in self._rows(address + path)[:_ROWS]]
        return parts

    def _walk(self, address: str, parts: Mapping[str, Sequence[Any]]) -> None:
        for path, methods in self._description.document["paths"].items():
            names = re.findall(r"{(\w+)}", path)
            if "get" not in methods or not names:
                continue
            for values in itertools.product(*(parts.get(name, ()) for name in names)):
                requested = path.format_map(dict(zip(names, values, strict=True)))
                if (
                    requested.startswith(address)
                    and "/exports/stream/" not in requested
                ):
                    self._request(path, requested)

    def _exports(self, address: str) -> None:
        """Request each kind of export; the first kind that has a format stands for the others in it."""
        formats: set[str] = set()
        for kind in self._rows(f"{address}exports/kinds/"):
            names = [file_format["name"] for file_format in kind["formats"]]
            new = [name for name in names if name not in formats]
            formats.update(names)
            for name in new or names[:1]:
                query = f"?kind={kind['name']}&file_format={name}"
                self._request(
                    "/api/v1/tasks/{task_id}/exports/stream/",
                    f"{address}exports/stream/{query}",
                )

    def _request(self, path: str, address: str) -> None:
        answer = self._client.get(address)
        content_type = answer.headers["Content-Type"].partition(";")[0]
        response = self._description.response(path, answer.status_code)
        if response is None or content_type not in response["content"]:
            self.differences.append(f"{address}: {answer.status_code} {content_type}")
            return
        if answer.status_code == 200:
            self.answered.add(path)
            self._request_by_type(address, content_type)
        if content_type in ("application/json", "application/problem+json"):
            schema = response["content"][content_type].get("schema", {})
            self.differences.extend(
                f"{address}: {error}"
                for error in self._description.errors(
                    schema,
                    json.loads(answer.getvalue()),
                )
            )

    def _request_by_type(self, address: str, content_type: str) -> None:
        """Request a file by its own type; one kind of export is enough for each format."""
        if content_type == "application/json" or content_type in self._types:
            return
        self._types.add(content_type)
        answer = self._client.get(address, headers={"Accept": content_type})
        if answer.status_code != 200:
            self.differences.append(
                f"{address}: {answer.status_code} for {content_type}",
            )
