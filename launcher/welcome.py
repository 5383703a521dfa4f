"""What a start says: where to go, and how to add what this start left out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from launcher.data_directory import DataDirectory, quintet_command, read_json, start_command


def welcome(
    directory: DataDirectory, base_url: str, link: str | None, seconds: float, *, demo: bool
) -> str:
    """Return the lines for people, once everything is served at this address.

    Args:
        link: makes whoever opens it the first organiser; None if there is one.
    """
    lines = ["", f"Quintet is ready, after {seconds:.1f} s.", ""]
    lines += _demo(directory) if demo else _own(directory, base_url, link)
    lines += [
        f"  Mails      {directory.path / 'mails'}",
        f"  Logs       {directory.logs}",
        "  Stop       Ctrl-C",
        "",
    ]
    return "\n".join(lines)


def _own(directory: DataDirectory, base_url: str, link: str | None) -> Iterator[str]:
    quintet = f"{_home(directory)}{quintet_command()}"
    if link:
        yield f"  Begin      {link}"
        yield "             Open it once: you become the first organiser, with name, e-mail address and password."
    else:
        yield f"  Organise   {base_url}/"
        yield f"             Sign in; `{quintet} organiser_link EMAIL` prints a link for a new password."
    yield f"  Campaign   {quintet} import_test_set --help"
    yield "             makes one of your files; README.md has an example."
    yield f"  Demo       `{_home(directory)}{start_command('demo')}` adds demo campaigns to this folder, and serves both."


def _demo(directory: DataDirectory) -> Iterator[str]:
    demo: Any = read_json(directory.demo_file) or {}
    organiser = demo.get("organiser", {})
    judges = demo.get("judges", [])
    yield f"  Organise   {organiser.get('url', demo.get('base_url', ''))}"
    yield (
        f"             sign in as {organiser.get('email', '')} with {organiser.get('password', '')}"
    )
    yield f"  Arrive     {demo.get('newcomers', {}).get('url', '')}"
    width = max([len(str(judge.get("name", ""))) for judge in judges], default=0)
    for number, judge in enumerate(judges):
        label = "Judge" if number == 0 else ""
        yield f"  {label:<9}  {judge.get('name', ''):<{width}}  {judge.get('url', '')}"
    yield from asked(directory)
    if loading := directory.demo_loading_file.exists() and directory.demo_loading_file.read_text():
        yield f"  Loading    {', '.join(loading.splitlines())}"
    yield f"  All of it  {directory.demo_file}"
    home = _home(directory)
    quintet = f"{home}{quintet_command()}"
    yield f"  Your own   `{quintet} organiser_link` makes you an organiser, `{quintet} import_test_set`"
    yield f"             a campaign of yours (README.md). `{home}{start_command()}` serves this folder and loads no demo;"
    yield "             with another QUINTET_HOME it begins with an empty one."


def asked(directory: DataDirectory) -> Iterator[str]:
    """Return the links of the judges of each protocol; none before their campaign is loaded."""
    protocols = (read_json(directory.demo_file) or {}).get("protocols", [])
    width = max([len(str(each.get("name", ""))) for each in protocols], default=0)
    for number, each in enumerate(protocols):
        label = "Asked" if number == 0 else ""
        yield f"  {label:<9}  {each.get('name', ''):<{width}}  {each.get('url', '')}"


def _home(directory: DataDirectory) -> str:
    """Return what a command has to begin with to find this folder."""
    if directory == DataDirectory.default():
        return ""
    return f"QUINTET_HOME={shlex.quote(str(directory.path))} "
