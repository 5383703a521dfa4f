"""Page, REST and command, asked for the same analysis or table; what they said is compared bit for bit."""

import io
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils.formats import date_format

from campaign.models import Campaign, Task
from campaign.models.system import system_label
from campaign.services.jobs import jobs_run_waiting
from ranking.models import Analysis
from tests.page_tables import PageTable, page_tables

Given = Mapping[str, Any]


#: What is shown beside an answer, of another one.
BESIDE = "Side by side"


class Ways(ABC):
    """The three ways to ask for one kind."""

    def __init__(self, client: Client, kind: str) -> None:
        self.client, self.kind = client, kind

    @abstractmethod
    def page(self, given: Given) -> str: ...

    @abstractmethod
    def rest(self, given: Given) -> dict[str, str]:
        """Return the answer as each of `FILES`."""

    @abstractmethod
    def command_line(self) -> list[str]: ...

    @abstractmethod
    def forget(self) -> None:
        """Delete what was answered."""

    def command(self, given: Given) -> dict[str, str]:
        options = [
            f"{name}={each}"
            for name, value in as_typed(given).items()
            for each in (value if isinstance(value, list) else [value])
        ]
        said = {}
        for ending, report_format in FILES.items():
            out = io.StringIO()
            call_command(
                *self.command_line(),
                *(["--option", *options] if options else []),
                *("--format", report_format, "--verbosity", "0"),
                stdout=out,
            )
            said[ending] = out.getvalue()
        return said

    def posted(self, address: str, given: Given) -> str:
        """Ask by the form of a section, let the worker compute, and return the section."""
        sent = self.client.post(address, as_typed(given))
        assert sent.status_code == 302
        jobs_run_waiting()
        section = self.client.get(
            address,
            as_typed(given),
            headers={"HX-Request": "true"},
        )
        assert section.status_code == 200, section.context["form"].errors
        page: str = section.content.decode()
        return page

    def read(self, address: str) -> str:
        found = self.client.get(address)
        assert found.status_code == 200
        text: str = found.content.decode()
        return text


#: The reports that are compared: by the ending of REST, the format of commands.
FILES = {"json": "json", "csv": "csv", "md": "markdown"}


class OfTask(Ways):
    def __init__(self, client: Client, kind: str, task: Task) -> None:
        super().__init__(client, kind)
        self.task = task

    def page(self, given: Given) -> str:
        here = [self.task.test_set.campaign.slug, self.task.pk, self.kind]
        return self.posted(reverse("analysis", args=here), given)

    def rest(self, given: Given) -> dict[str, str]:
        asked = self.client.post(
            reverse("api-analyses", args=[self.task.pk]),
            {"kind": self.kind, "options": given},
            content_type="application/json",
        )
        assert asked.status_code in {200, 202}, asked.content
        jobs_run_waiting()
        found = self.client.get(asked.json()["address"]).json()
        assert found["state"] == "done", found["error"]
        of = [self.task.pk, found["id"]]
        files = {
            ending: self.read(reverse("api-analysis-report", args=[*of, ending]))
            for ending in FILES
        }
        # The answer itself; the file of the same name says the same.
        assert json.loads(files["json"]) == found["answer"]
        return {**files, "json": json.dumps(found["answer"])}

    def command_line(self) -> list[str]:
        campaign, name = self.task.test_set.campaign.slug, self.task.test_set.name
        of = [
            "--campaign",
            campaign,
            "--test-set",
            name,
            "--protocol",
            self.task.protocol,
        ]
        return ["analyse", self.kind, *of]

    def forget(self) -> None:
        Analysis.objects.all().delete()


class OfCampaign(Ways):
    def __init__(self, client: Client, kind: str, campaign: Campaign) -> None:
        super().__init__(client, kind)
        self.campaign = campaign

    def page(self, given: Given) -> str:
        return self.posted(
            reverse("campaign-table", args=[self.campaign.slug, self.kind]),
            given,
        )

    def rest(self, given: Given) -> dict[str, str]:
        address = reverse("api-campaign-table", args=[self.campaign.slug, self.kind])
        asked = self.client.post(
            address,
            {"options": given},
            content_type="application/json",
        )
        assert asked.status_code in {200, 202}, asked.content
        jobs_run_waiting()
        found = self.client.get(address, as_typed(given)).json()
        assert found["state"] == "done", found["error"]
        files = {
            ending: self.read(
                reverse(
                    "api-campaign-table-report",
                    args=[self.campaign.slug, self.kind, ending],
                    query=as_typed(given),
                ),
            )
            for ending in FILES
        }
        assert json.loads(files["json"]) == found["answer"]
        return {**files, "json": json.dumps(found["answer"])}

    def command_line(self) -> list[str]:
        return ["analyse", self.kind, "--campaign", self.campaign.slug]

    def forget(self) -> None:
        Analysis.objects.filter(task=None).delete()


def as_typed(given: Given) -> dict[str, Any]:
    """Return options as forms, addresses and command lines have them."""
    return {
        name: {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
        for name, value in given.items()
    }


def tables_of_markdown(text: str) -> list[PageTable]:
    """Return the tables of a report that have rows."""
    found = []
    for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        title, *lines = part.splitlines()
        cells = [
            [plain(cell) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in lines
            if line.startswith("|")
        ]
        if cells[2:]:
            found.append(PageTable(plain(title), cells[0], cells[2:]))
    return found


def plain(markdown: str) -> str:
    return " ".join(re.sub(r"\\(.)", r"\1", markdown).split())


def as_on_page(table: PageTable, headings: Sequence[str]) -> PageTable:
    """Return a table of a file without the empty columns that the page leaves out."""
    kept: list[int] = []
    for position, heading in enumerate(table.headings):
        is_empty = {row[position] for row in table.rows} <= {"", "–"}
        is_shown = headings[len(kept) : len(kept) + 1] == [heading]
        if is_shown or not is_empty:
            kept.append(position)
    rows = [[row[position] for position in kept] for row in table.rows]
    return PageTable(table.title, [table.headings[position] for position in kept], rows)


def is_same(on_page: str, in_file: str) -> bool:
    """Compare a cell of a page and of a file.

    Pages have dates in words, a minus sign but none before 0, and words for `_ref`.
    """
    shown = in_file[1:] if re.fullmatch(r"-0\.?0*", in_file) else in_file
    if re.fullmatch(r"\d{4}-\d\d-\d\d", in_file):
        shown = date_format(date.fromisoformat(in_file))
    return on_page.replace("−", "-") == system_label(shown.replace("−", "-"))


def assert_same_bits(ways: Ways, given: Given) -> int:
    """Ask in all three ways, and return how many rows of the page were compared.

    What one way had computed is deleted before the next one asks.
    """
    shown = page_tables(ways.page(given))
    ways.forget()
    rest = ways.rest(given)
    ways.forget()
    command = ways.command(given)
    answer = json.loads(rest["json"])
    assert json.loads(command["json"]) == answer
    assert (command["csv"], command["md"]) == (rest["csv"], rest["md"])

    tables = tables_of_markdown(rest["md"])
    on_page = [table for table in shown if table.title != BESIDE]
    assert len(on_page) == len(tables)
    tables = [
        as_on_page(table, page.headings)
        for page, table in zip(on_page, tables, strict=True)
    ]
    heads = [(table.title, table.headings) for table in on_page]
    of_file = [(table.title, table.headings) for table in tables]
    assert heads == of_file, (heads, of_file)
    for page, table in zip(on_page, tables, strict=True):
        differing = [
            (table.title, row, other)
            for row, other in zip(page.rows, table.rows, strict=True)
            if not all(map(is_same, row, other)) or len(row) != len(other)
        ]
        assert not differing, differing[:2]
    return sum(len(table.rows) for table in tables)
