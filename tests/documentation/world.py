"""What the pages assume that a reader has: files beside the checkout, and a campaign `wmt26` with people."""

import csv
import gzip
import json
import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from launcher.data_directory import CHECKOUT

OWNER = "you@example.org"
MEMBER = "rosa@example.org"
DEMO = "organiser@demo.invalid"

#: Commands that make the campaign of the pages.
_COMMANDS = f"""
./quintet import_test_set --campaign wmt26 --create-campaign "WMT26" --name "News en–de" \\
    --source-language en --target-language de --source news.en --reference news.de \\
    --system alpha=alpha.de --system beta=beta.de --system gamma=gamma.de \\
    --system delta=amber.de --system epsilon=birch.de
./quintet add_organiser {OWNER} --campaign wmt26
./quintet add_organiser {MEMBER} --campaign museum
"""
#: Files of answers that pages read: the protocol of the demo's task, and the format.
_ANSWERS = {
    "choices.jsonl": ("two_outputs", "choices-jsonl"),
    "edits.jsonl": ("editing", "edits-jsonl"),
    "answers.jsonl": ("quiz", "quiz-jsonl"),
    "ratings.jsonl": ("rating", "ratings-jsonl"),
    "comparisons.jsonl": ("sorting", "comparisons-jsonl"),
    "judgments.jsonl": ("spans", "spans-jsonl"),
}
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
class World:
    """What the reader has, by the names that commands need.

    Attributes
    ----------
    task : int
        The task of `wmt26`.
    ranking : int
        A ranked task of the demo, which the token may read and change.
    tasks_of_protocols : mapping of str to int
        The demo's task of each protocol.
    token : str
    published : int
        A task of the demo with a published result.
    result : str
        The address of this result.
    address : str
        Where all is served.
    """

    task: int
    ranking: int
    tasks_of_protocols: Mapping[str, int]
    token: str
    published: int
    result: str
    address: str

    def replaced(self, page: str) -> dict[str, str]:
        """Return what stands for a page's examples."""
        protocol = _PROTOCOL_OF_PAGE.get(page)
        task = self.task if protocol is None else self.tasks_of_protocols[protocol]
        if page == "docs/publishing.md":
            task = self.published
        return {
            "tasks/12/": f"tasks/{task}/",
            "api/v1/tasks/1": f"api/v1/tasks/{self.ranking}",
            "TOKEN=…": f"TOKEN={self.token}",
            'TOKEN = "…"': f'TOKEN = "{self.token}"',
            # Set in another block, which had a terminal of its own here.
            "$TOKEN": self.token,
            _SESSION: "",
            "https://example.org/results": f"{self.address}/results",
            _RESULT: self.result,
        }


@dataclass(frozen=True)
class _Api:
    """The REST API, asked with a token."""

    run: Callable[[str], str]
    address: str
    token: str

    def ask(self, below: str, options: str = "") -> str:
        """Send a request by curl; without options it reads."""
        return self.run(
            f'curl -H "Authorization: Token {self.token}" {options} "{self.address}/api/v1/{below}"'
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


def world_make(run: Callable[[str], str], address: str) -> World:
    """Make the campaign `wmt26` and its people, and write the demo's answers into files."""
    run(_COMMANDS)

    def token(*words: str) -> str:
        made = json.loads(
            run(f"./quintet rest POST tokens/ name=reader --as {' '.join(words)}")
        )
        return str(made["token"])

    demo = _Api(run, address, token(DEMO, "scope=write"))
    own = _Api(run, address, token(OWNER))
    protocols = {row["protocol"]: row["id"] for row in demo.tasks("museum-protocols")}
    for name, (protocol, file_format) in _ANSWERS.items():
        exports = f"tasks/{protocols[protocol]}/exports/stream/"
        demo.ask(f"{exports}?kind=answers&file_format={file_format}", f'-o "{name}"')
    run("cp judgments.jsonl log.jsonl")
    rating = json.loads(run("head -n 1 ratings.jsonl"))
    run(f"echo {rating['segment']} > easy.txt")
    published = demo.tasks("wmt12")[0]["id"]
    return World(
        task=own.tasks("wmt26")[0]["id"],
        ranking=demo.tasks("museum")[0]["id"],
        tasks_of_protocols=protocols,
        token=token(MEMBER, "scope=write", "campaign=museum"),
        published=published,
        result=_result_published(demo, published),
        address=address,
    )


def _result_published(api: _Api, task: int) -> str:
    """Close a task, publish its result, and write the bundle into a file; return the address of the result."""
    api.send("PUT", f"tasks/{task}/closing/", {"closed": True, "confirm": True})
    results = f"tasks/{task}/published-results/"
    published = json.loads(
        api.send("POST", results, {"firmness": False, "metrics": False})
    )
    version = f"{results}{published['version']}/"
    end = time.monotonic() + _BUNDLE_SECONDS
    while not json.loads(api.ask(version))["bundle"]["is_made"]:
        assert time.monotonic() < end, "the bundle was not made"
        time.sleep(0.5)
    api.ask(f"{version}bundle/", "-o bundle.zip")
    return str(published["url"]).rstrip("/").rpartition("/")[2]


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
        encoding="utf-8"
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
