"""What the pages assume that a reader has: files beside the checkout, and a campaign `wmt26` with people."""

import csv
import gzip
import json
import re
import shlex
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from launcher.data_directory import CHECKOUT
from tests.documentation.pages import Block

OWNER = "you@example.org"
MEMBER = "rosa@example.org"
DEMO = "organiser@demo.invalid"

#: Management commands that make the campaign of the pages, its people, and tokens of three of them.
_SET_UP = (
    """
    import_test_set --campaign wmt26 --create-campaign "WMT26" --name "News en–de"
        --source-language en --target-language de --source news.en --reference news.de
        --system alpha=alpha.de --system beta=beta.de --system gamma=gamma.de
        --system delta=amber.de --system epsilon=birch.de
    """,
    f"add_organiser {OWNER} --campaign wmt26 --role owner",
    f"add_organiser {MEMBER} --campaign museum",
    f"rest POST tokens/ name=reader scope=write campaign=museum --as {MEMBER}",
    f"rest POST tokens/ name=reader --as {OWNER}",
    f"rest POST tokens/ name=reader scope=write --as {DEMO}",
)
#: Files of answers that pages read: the protocol of the demo's task, and the format.
_ANSWERS = {
    "choices.jsonl": ("two_outputs", "choices-jsonl"),
    "edits.jsonl": ("editing", "edits-jsonl"),
    "answers.jsonl": ("quiz", "quiz-jsonl"),
    "ratings.jsonl": ("rating", "ratings-jsonl"),
    "comparisons.jsonl": ("sorting", "comparisons-jsonl"),
    "judgments.jsonl": ("spans", "spans-jsonl"),
}
_FILES_OF_ANSWERS = (*_ANSWERS, "log.jsonl", "easy.txt")
#: Pages on a protocol call the task of this protocol 12, too.
_PROTOCOL_OF_PAGE = {
    "docs/protocols/editing.md": "editing",
    "docs/protocols/quiz.md": "quiz",
    "docs/protocols/spans.md": "spans",
}
#: The address of a published result.
_RESULT = "0123456789abcdef"
_BUNDLE_SECONDS = 120
#: What stands for a session of a reader's own.
_SESSION = " session:1f0c2a9b7d3e4455"


@dataclass(frozen=True)
class _Api:
    """The REST API, asked with a token."""

    run: Callable[[str], str]
    address: str
    token: str

    def ask(self, below: str, options: str = "") -> str:
        """Send a request by curl; without options it reads."""
        return self.run(
            f'curl -H "Authorization: Token {self.token}" {options} "{self.address}/api/v1/{below}"',
        )

    def send(self, method: str, below: str, body: Mapping[str, Any]) -> str:
        """Send a body as JSON."""
        header = '-H "Content-Type: application/json"'
        return self.ask(below, f"-X {method} {header} -d '{json.dumps(body)}'")

    def tasks(self, slug: str) -> list[dict[str, Any]]:
        """Return the tasks of a campaign."""
        rows: list[dict[str, Any]] = json.loads(self.ask(f"campaigns/{slug}/tasks/"))[
            "results"
        ]
        return rows


class World:
    """What the reader has, by the names that commands need; made when a block first needs it.

    Attributes
    ----------
    address : str
        Where all is served.
    token : str
        A token that may read and change the campaign `museum`.
    """

    def __init__(self, run: Callable[[str], str], address: str) -> None:
        """Make the campaign `wmt26`, its people and their tokens."""
        made = run(_in_one_process(_SET_UP))
        self.token, own, of_demo = re.findall(r'"token": "(\w+)"', made)
        self._run = run
        self.address = address
        self._own = self._api(own)
        self._demo = self._api(of_demo)
        self._has_answers = False
        self._result = ""

    def replaced(self, block: Block) -> dict[str, str]:
        """Return what stands for a block's examples, after making the files that it names."""
        if any(name in block.text for name in _FILES_OF_ANSWERS):
            self._answers_ensure()
        if "bundle.zip" in block.text:
            self._result_ensure()
        examples: dict[str, Callable[[], str]] = {
            "tasks/12/": lambda: f"tasks/{self._task(block.page)}/",
            "api/v1/tasks/1": lambda: f"api/v1/tasks/{self._ranking}",
            "TOKEN=…": lambda: f"TOKEN={self.token}",
            'TOKEN = "…"': lambda: f'TOKEN = "{self.token}"',
            # Set in another block, which had a terminal of its own here.
            "$TOKEN": lambda: self.token,
            _SESSION: lambda: "",
            "https://example.org/results": self._results_address,
            _RESULT: self._result_ensure,
        }
        return {
            written: meant()
            for written, meant in examples.items()
            if written in block.text
        }

    def _task(self, page: str) -> int:
        """Return the task that a page calls 12."""
        if page == "docs/publishing.md":
            self._result_ensure()
            return self._published
        protocol = _PROTOCOL_OF_PAGE.get(page)
        if protocol is not None:
            return self._tasks_of_protocols[protocol]
        return self._own_task

    def _results_address(self) -> str:
        self._result_ensure()
        return f"{self.address}/results"

    @cached_property
    def _own_task(self) -> int:
        """The task of `wmt26`."""
        return int(self._own.tasks("wmt26")[0]["id"])

    @cached_property
    def _ranking(self) -> int:
        """A ranked task of the demo, which the token may read and change."""
        return int(self._api(self.token).tasks("museum")[0]["id"])

    @cached_property
    def _tasks_of_protocols(self) -> dict[str, int]:
        """The demo's task of each protocol."""
        rows = self._demo.tasks("museum-protocols")
        return {row["protocol"]: row["id"] for row in rows}

    @cached_property
    def _published(self) -> int:
        """The task of the demo whose result is published."""
        return int(self._demo.tasks("wmt12")[0]["id"])

    def _api(self, token: str) -> _Api:
        return _Api(self._run, self.address, token)

    def _answers_ensure(self) -> None:
        """Write the demo's answers into files, once."""
        if self._has_answers:
            return
        self._has_answers = True
        for name, (protocol, file_format) in _ANSWERS.items():
            exports = f"tasks/{self._tasks_of_protocols[protocol]}/exports/stream/"
            query = f"?kind=answers&file_format={file_format}"
            self._demo.ask(f"{exports}{query}", f'-o "{name}"')
        self._run("cp judgments.jsonl log.jsonl")
        rating = json.loads(self._run("head -n 1 ratings.jsonl"))
        self._run(f"echo {rating['segment']} > easy.txt")

    def _result_ensure(self) -> str:
        """Close a task, publish its result, and write the bundle into a file, once; return the result's address."""
        if self._result:
            return self._result
        task = self._published
        closing = {"closed": True, "confirm": True}
        self._demo.send("PUT", f"tasks/{task}/closing/", closing)
        results = f"tasks/{task}/published-results/"
        content = {"firmness": False, "metrics": False}
        published = json.loads(self._demo.send("POST", results, content))
        version = f"{results}{published['version']}/"
        end = time.monotonic() + _BUNDLE_SECONDS
        while not json.loads(self._demo.ask(version))["bundle"]["is_made"]:
            assert time.monotonic() < end, "the bundle was not made"
            time.sleep(0.5)
        self._demo.ask(f"{version}bundle/", "-o bundle.zip")
        self._result = str(published["url"]).rstrip("/").rpartition("/")[2]
        return self._result


def _in_one_process(commands: Iterable[str]) -> str:
    """Return a command that runs management commands, because each takes seconds to start by itself."""
    calls = [f"call_command(*{shlex.split(command)})" for command in commands]
    program = "\n".join(["from django.core.management import call_command", *calls])
    return f"./quintet shell --no-imports --command {shlex.quote(program)}"


def files_write(folder: Path) -> None:
    """Write the files that commands read."""
    with (CHECKOUT / "demo" / "museum" / "en-de.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    columns = {
        "news.en": "source",
        "news.de": "reference",
        "alpha.de": "cobalt",
        "beta.de": "dune",
        "gamma.de": "ember",
        "amber.de": "amber",
        "birch.de": "birch",
        "fjord.de": "fjord",
        "en.md": "source",
        "newstest.cs": "source",
        "a.txt": "amber",
        "b.txt": "birch",
    }
    for name, column in columns.items():
        text = "\n".join(row[column] for row in rows)
        (folder / name).write_text(text + "\n", encoding="utf-8")
    shutil.copy(CHECKOUT / "docs" / "examples" / "campaign.yaml", folder)
    shutil.copy(CHECKOUT / "demo" / "museum" / "en-de.tsv", folder)
    judgments = (CHECKOUT / "demo" / "wmt12-cs-en" / "judgments.csv").read_text(
        encoding="utf-8",
    )
    (folder / "judgments.csv").write_text(judgments, encoding="utf-8")
    for name in ("wmt", "wmt14"):
        (folder / name).mkdir()
    (folder / "wmt" / "cs-en.csv").write_text(judgments, encoding="utf-8")
    with gzip.open(folder / "wmt14" / "hi-en.csv.gz", "wt", encoding="utf-8") as file:
        file.write(judgments.replace("Czech,", "Hindi,"))
    # A refused request is an error.
    (folder.parent / ".curlrc").write_text("fail\nsilent\nshow-error\n")
    for name in ("done.json", "more.json"):
        (folder / name).write_text("{}", encoding="utf-8")
