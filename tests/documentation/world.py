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
    "docs/publishing.md": "ranking",
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
    result : str
        The address of a published result of the demo's ranking of `tasks_of_protocols`.
    address : str
        Where all is served.
    """

    task: int
    ranking: int
    tasks_of_protocols: Mapping[str, int]
    token: str
    result: str
    address: str

    def replaced(self, page: str) -> dict[str, str]:
        """Return what stands for a page's examples."""
        protocol = _PROTOCOL_OF_PAGE.get(page)
        task = self.task if protocol is None else self.tasks_of_protocols[protocol]
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


def world_make(run: Callable[[str], str], address: str) -> World:
    """Make the campaign `wmt26` and its people, and write the demo's answers into files."""
    run(_COMMANDS)
    api = f"{address}/api/v1"

    def token(*words: str) -> str:
        made = json.loads(run(f"./quintet rest POST tokens/ name=reader --as {' '.join(words)}"))
        return str(made["token"])

    def get(below: str, token: str) -> str:
        return run(f'curl -H "Authorization: Token {token}" "{api}/{below}"')

    def tasks(slug: str, token: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json.loads(get(f"campaigns/{slug}/tasks/", token))["results"]
        return rows

    demo, own = token(DEMO), token(OWNER)
    protocols = {row["protocol"]: row["id"] for row in tasks("museum-protocols", demo)}
    for name, (protocol, file_format) in _ANSWERS.items():
        exports = f"tasks/{protocols[protocol]}/exports/stream/"
        get(f'{exports}?kind=answers&file_format={file_format}" -o "{name}', demo)
    run("cp judgments.jsonl log.jsonl")
    rating = json.loads(run("head -n 1 ratings.jsonl"))
    run(f"echo {rating['segment']} > easy.txt")
    return World(
        task=tasks("wmt26", own)[0]["id"],
        ranking=tasks("museum", demo)[0]["id"],
        tasks_of_protocols=protocols,
        token=token(MEMBER, "scope=write", "campaign=museum"),
        result=_result_published(run, protocols["ranking"]),
        address=address,
    )


def _result_published(run: Callable[[str], str], task: int) -> str:
    """Publish the result of a task, and write its bundle into a file; return its address."""
    results = f"tasks/{task}/published-results/"
    fields = f"firmness:=false metrics:=false --as {DEMO}"
    published = json.loads(run(f"./quintet rest POST {results} {fields}"))
    version = f"{results}{published['version']}/"
    end = time.monotonic() + _BUNDLE_SECONDS
    while not json.loads(run(f"./quintet rest GET {version}"))["bundle"]["url"]:
        assert time.monotonic() < end, "the bundle was not made"
    run(f"./quintet rest GET {version}bundle/ > bundle.zip")
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
    judgments = (CHECKOUT / "demo" / "wmt12-cs-en" / "judgments.csv").read_text(encoding="utf-8")
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
