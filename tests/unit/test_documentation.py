"""What the documentation names exists: commands, options, files, settings, addresses, links.

What its commands do is run in tests/integration/documentation.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from launcher.data_directory import CHECKOUT
from tests.checkouts import git
from tests.documentation.addresses import (
    METHODS,
    address_exists,
    file_is_served,
    looks_like_an_address,
    operation_exists,
)
from tests.documentation.commands import (
    NamedCommand,
    make_targets,
    management_options,
    module_options,
    named_commands,
    own_options,
)
from tests.documentation.pages import PAGES, Block, Span, path_of_link, read_page

#: Options of programs that are not ours.
ELSEWHERE = {
    "--beat": "celery worker",
    "--queues": "celery worker",
    "--concurrency": "celery worker",
}
#: Files of other programs, and those that readers write.
FILES_ELSEWHERE = {
    "browseMode.py": "NVDA",
    "behaviors.py": "NVDA",
    "docker-compose.override.yml": "Docker Compose",
}
_OPTION = re.compile(r"(?<![\w-])--(?:\[no-\])?([a-z][a-z-]*)")
_FILE = re.compile(
    r"[\w./-]+\.(?:py|js|css|html|md|yml|yaml|toml|sql|sh|txt|json|template|svg|ipynb|tsv|cfg)\b",
)
_MODULE = re.compile(
    r"(?:annotation|campaign|config|deploy|launcher|protocols|ranking|tests|translations)(?:\.\w+)+",
)
_TYPED = re.compile(
    r" {4}(?:\$ |python |\./quintet |quintet |make |curl |from |import )",
)
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")


def test_commands_and_their_options_exist() -> None:
    problems = [
        f"{page}:{line}: {problem}"
        for page in PAGES
        for line, text in _commands(page)
        for problem in _wrong(text)
    ]
    assert not problems, "\n".join(problems)


def test_options_named_alone_exist() -> None:
    everywhere = frozenset().union(*own_options().values(), ELSEWHERE)
    problems = [
        f"{page}:{span.line}: {option}"
        for page, span in _spans()
        if span.text.startswith("--")
        for option in _options_of(span.text)
        if option not in (_allowed_below(span) or everywhere | _of_modules(page))
    ]
    assert not problems, "\n".join(problems)


def test_links_lead_somewhere() -> None:
    problems = [
        f"{page}: {link}"
        for page in PAGES
        for link in read_page(page).links
        if "://" not in link
        and "mailto:" not in link
        and not _leads_somewhere(page, link)
    ]
    assert not problems, "\n".join(problems)


def test_files_and_modules_exist() -> None:
    problems = [
        f"{page}:{span.line}: {span.text}"
        for page, span in _spans()
        if (_FILE.fullmatch(span.text) and not _is_file(page, span.text))
        or (_MODULE.fullmatch(span.text) and not _is_dotted_name(span.text))
    ]
    assert not problems, "\n".join(problems)


def test_variables_exist() -> None:
    texts = [(page, span.line, span.text) for page, span in _spans()]
    texts += [(block.page, block.line, block.text) for block in _blocks_of_commands()]
    problems = [
        f"{page}:{line}: {name}"
        for page, line, text in texts
        for name in _VARIABLE.findall(text)
        if name not in _words_of_the_source()
    ]
    assert not problems, "\n".join(problems)


def test_addresses_exist() -> None:
    problems = [
        f"{page}:{span.line}: {span.text}"
        for page, span in _spans()
        if looks_like_an_address(span.text) and not address_exists(span.text)
    ]
    assert not problems, "\n".join(problems)


def test_commands_are_in_blocks() -> None:
    """Others are not run: an indented command is not seen."""
    for page in PAGES:
        lines = (CHECKOUT / page).read_text(encoding="utf-8").splitlines()
        inside = {number for block in read_page(page).blocks for number in block.lines}
        typed = {
            number for number, line in enumerate(lines, start=1) if _TYPED.match(line)
        }
        assert typed <= inside, page


def test_blocks_that_a_test_of_their_own_runs_are_read_by_it() -> None:
    for block in (block for page in PAGES for block in read_page(page).blocks):
        test = block.marker.removeprefix("run by ")
        if test != block.marker:
            source = (CHECKOUT / test).read_text(encoding="utf-8")
            assert Path(block.page).name in source, f"{block.page}:{block.line}"


def _spans() -> Iterator[tuple[str, Span]]:
    for page in PAGES:
        for span in read_page(page).spans:
            yield page, span


def _blocks_of_commands() -> Iterator[Block]:
    for page in PAGES:
        yield from (block for block in read_page(page).blocks if block.is_commands)


def _commands(page: str) -> Iterator[tuple[int, str]]:
    content = read_page(page)
    for block in content.blocks:
        if block.is_commands:
            for command in block.commands:
                for line in command.replace("\\\n", " ").splitlines():
                    yield block.line, line.partition(" #")[0]
    for span in content.spans:
        yield span.line, span.text


def _wrong(text: str) -> Iterator[str]:
    for command in named_commands(text):
        yield from _wrong_request(command)
        options = _options_of_command(command)
        if options is None:
            yield f"no {command.kind} {command.name}"
        elif options:
            yield from (
                f"{command.name} has no {option}"
                for option in _options_of(
                    " ".join(command.arguments).partition(" -- ")[0],
                )
                if option not in options
            )


def _wrong_request(command: NamedCommand) -> Iterator[str]:
    """Yield the request that a command `rest` names, if the API has no such operation."""
    method, address, *_body = (*command.arguments, "", "")
    is_request = command.name == "rest" and method in METHODS and "/" in address
    if is_request and not operation_exists(method, address.strip("\"'")):
        yield f"no {method} {address}"


def _options_of_command(command: NamedCommand) -> frozenset[str] | None:
    """Return the options of a command; None if it does not exist, nothing if they are not known."""
    if command.kind == "make":
        return frozenset() if command.name in make_targets() else None
    if command.kind == "module":
        return module_options(command.name)
    return management_options().get(command.name)


def _options_of(text: str) -> Iterator[str]:
    """Yield the options in a text; `--[no-]x` is two."""
    for match in _OPTION.finditer(text):
        yield f"--{match[1]}"
        if match[0].startswith("--["):
            yield f"--no-{match[1]}"


@cache
def _of_modules(page: str) -> frozenset[str]:
    """Return the options of the modules that a page names."""
    commands = (
        command for _line, text in _commands(page) for command in named_commands(text)
    )
    options = (
        module_options(command.name) for command in commands if command.kind == "module"
    )
    return frozenset().union(*filter(None, options))


def _allowed_below(span: Span) -> frozenset[str]:
    """Return the options of the commands that a heading names; nothing if it names none."""
    known = own_options()
    named = [
        known[word]
        for word in re.findall(r"\w+", span.heading)
        if "_" in word and word in known
    ]
    return frozenset().union(*named)


def _leads_somewhere(page: str, link: str) -> bool:
    target, _hash, anchor = link.partition("#")
    path = path_of_link(page, target) if target else CHECKOUT / page
    if not path.exists():
        return False
    if not anchor or path.suffix != ".md":
        return True
    return anchor in read_page(str(path.relative_to(CHECKOUT))).anchors


@cache
def _tracked() -> frozenset[str]:
    return frozenset(
        git(
            CHECKOUT,
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
        ).splitlines(),
    )


def _is_file(page: str, name: str) -> bool:
    """Return whether a file exists, below the checkout, the page's folder or one that the text names."""
    if name in FILES_ELSEWHERE or name.startswith("/"):
        return True
    if path_of_link(page, name).exists():
        return True
    if any(path == name or path.endswith(f"/{name}") for path in _tracked()):
        return True
    if file_is_served(name):
        return True
    # A file that Quintet writes.
    return "/" not in name and name in _files_in_the_source()


def _is_dotted_name(name: str) -> bool:
    """Return whether a dotted name is a file, a module or something in one, or a word of the source."""
    module, _dot, last = name.rpartition(".")
    paths = [CHECKOUT / part.replace(".", "/") for part in (name, module)]
    if (
        _FILE.fullmatch(name)
        or paths[0].is_dir()
        or paths[0].with_suffix(".py").is_file()
    ):
        return True
    if f'"{name}"' in _source():
        return True
    files = (
        paths[1].with_suffix(".py"),
        paths[1] / "__init__.py",
        paths[1] / "models/__init__.py",
    )
    texts = [file.read_text(encoding="utf-8") for file in files if file.is_file()]
    return re.search(rf"\b{last}\b", "\n".join(texts)) is not None


@cache
def _source() -> str:
    """Return the text of all files but the documentation and these tests."""
    texts = []
    for name in _tracked():
        path = CHECKOUT / name
        if (
            path.is_file()
            and not name.endswith((".md", ".po"))
            and path != Path(__file__)
        ):
            texts.append(path.read_text(encoding="utf-8", errors="ignore"))
    return "\n".join(texts)


@cache
def _words_of_the_source() -> frozenset[str]:
    return frozenset(_VARIABLE.findall(_source()))


@cache
def _files_in_the_source() -> frozenset[str]:
    return frozenset(name.rpartition("/")[2] for name in _FILE.findall(_source()))
