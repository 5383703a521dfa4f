"""python -m translations update                   bring every catalogue up to date with the code
python -m translations check [LOCALE ...]       list what is untranslated, outdated or wrong
python -m translations open LOCALE [PLACE ...]  list what is still to be translated, as JSON
python -m translations fill LOCALE FILE ...     put translations from JSON files into the catalogue
python -m translations wording                  list English that reads like a translation
python -m translations joints                   list texts joined by punctuation that not every language has
python -m translations glossary                 show the terms in all languages as a table
python -m translations compile                  make the .mo files that gettext reads
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from translations.catalogues import (
    FillError,
    catalogue_compile,
    catalogue_fill,
    catalogue_read,
    catalogue_write,
    glossary_read,
    glossary_table,
    locales,
    messages_of,
    open_entries,
    problems_of,
    translations_read,
)
from translations.counters import counters_of
from translations.joints import joints_of
from translations.wording import wording_of_documents, wording_of_texts

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run one command; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m translations",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    update = commands.add_parser("update")
    update.add_argument(
        "locale",
        nargs="*",
        help="also those that have no catalogue yet",
    )
    commands.add_parser("check").add_argument("locale", nargs="*")
    opened = commands.add_parser("open")
    opened.add_argument("locale")
    opened.add_argument(
        "place",
        nargs="*",
        default=[""],
        help="a folder or file of the code",
    )
    fill = commands.add_parser("fill")
    fill.add_argument("locale")
    fill.add_argument("file", nargs="+", type=Path)
    commands.add_parser("wording")
    commands.add_parser("joints")
    commands.add_parser("glossary")
    commands.add_parser("compile")
    chosen = parser.parse_args(arguments)
    return _COMMANDS[chosen.command](root, chosen)


def _update(root: Path, chosen: argparse.Namespace) -> int:
    messages = messages_of(root)
    counters = counters_of(root)
    for locale in sorted({*locales(root), *chosen.locale}):
        catalogue = catalogue_read(root, locale)
        catalogue.update(messages, no_fuzzy_matching=True)
        catalogue_write(root, locale, catalogue)
        _report(
            f"{locale}: {len(messages)} texts, {len(open_entries(catalogue, locale, counters=counters))} open",
        )
    return 0


def _check(root: Path, chosen: argparse.Namespace) -> int:
    messages = messages_of(root)
    counters = counters_of(root)
    count: Counter[str] = Counter()
    for locale in chosen.locale or locales(root):
        for problem in problems_of(
            catalogue_read(root, locale),
            messages,
            locale,
            counters,
        ):
            _report(str(problem))
            count[locale] += 1
    for locale, problems in count.items():
        _report(f"{locale}: {problems} to put right of {len(messages)} texts")
    if count:
        return 1
    return 0


def _open(root: Path, chosen: argparse.Namespace) -> int:
    described = open_entries(
        catalogue_read(root, chosen.locale),
        chosen.locale,
        chosen.place,
        counters=counters_of(root),
    )
    _report(json.dumps(described, ensure_ascii=False, indent=1))
    return 0


def _fill(root: Path, chosen: argparse.Namespace) -> int:
    """Fill in translations from files; refuse a file completely if any of its translations does not fit."""
    catalogue = catalogue_read(root, chosen.locale)
    counters = counters_of(root)
    refused = False
    for path in chosen.file:
        try:
            brought = translations_read(path)
            _report(
                f"{path}: {catalogue_fill(catalogue, brought, chosen.locale, counters=counters)} put in",
            )
        except FillError as error:
            refused = True
            sys.stderr.write(f"{path} was not taken:\n{error}\n")
    catalogue_write(root, chosen.locale, catalogue)
    if refused:
        return 1
    return 0


def _wording(root: Path, _chosen: argparse.Namespace) -> int:
    problems = [*wording_of_texts(messages_of(root)), *wording_of_documents(root)]
    for problem in problems:
        _report(problem)
    if problems:
        return 1
    return 0


def _joints(root: Path, _chosen: argparse.Namespace) -> int:
    joints = list(joints_of(root))
    for joint in joints:
        _report(str(joint))
    if joints:
        return 1
    return 0


def _glossary(_root: Path, _chosen: argparse.Namespace) -> int:
    sys.stdout.write(glossary_table(glossary_read()))
    return 0


def _compile(root: Path, _chosen: argparse.Namespace) -> int:
    for locale in locales(root):
        catalogue_compile(root, locale)
    return 0


def _report(text: str) -> None:
    sys.stdout.write(text + "\n")


_COMMANDS: dict[str, Callable[[Path, argparse.Namespace], int]] = {
    "update": _update,
    "check": _check,
    "open": _open,
    "fill": _fill,
    "wording": _wording,
    "joints": _joints,
    "glossary": _glossary,
    "compile": _compile,
}


if __name__ == "__main__":
    sys.exit(main())
