"""The doors by which files come in, by name: the code that pages, REST and commands all read them with.

A door takes the path of a file, and returns nothing; it raises FormatError, or an error that the door's pages show.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from annotation.importing.answers import no_judgments_error
from annotation.protocols.answer_files import (
    FileRecords,
    answer_files,
    protocols_with_files,
)
from campaign.formats import FormatError, InputFile, read_five_way_csv
from campaign.formats.archives import archive_files, is_archive, opener
from campaign.formats.inspecting import inspect
from campaign.formats.judge_lists import judge_list_decode, judge_list_read
from campaign.formats.recognising import recognise
from campaign.formats.score_files import scores_together
from campaign.formats.streams import StoredFile
from campaign.formats.system_outputs import system_outputs
from campaign.formats.test_sets import ReadingOptions, TestSetFormat, read_test_set
from campaign.formats.yaml_tree import MAX_BYTES, read_yaml
from protocols.quiz.snippet_rows import snippet_rows
from protocols.quiz.snippets import snippets_of_rows
from protocols.spans.files.formats import SpansFormat, read_spans
from ranking.files.bundles import bundle_check, opened_bundle
from ranking.files.reading import read_judgments
from ranking.files.records import InputFormat
from ranking.services.published_results.reproducing import result_reproduce
from whole_campaigns.campaign_file.applying import campaign_file_check
from whole_campaigns.campaign_file.bodies import CampaignFileSerializer

Door = Callable[[Path], None]


def _test_set(kind: TestSetFormat) -> Door:
    def door(path: Path) -> None:
        with path.open("rb") as stream:
            for _segment in read_test_set(
                source=InputFile(path.name, stream),
                options=ReadingOptions(file_format=kind),
            ):
                pass

    return door


def _uploaded(path: Path) -> None:
    """Look at a file as an upload and `import_test_set` do: archives are taken apart, roles are guessed."""
    file = StoredFile(path.name, opener(path))
    with path.open("rb") as stream:
        head = stream.read(512)
    if is_archive(head) or path.name.endswith(".tar.gz"):
        with archive_files(file) as files:
            _inspected(path.name, files)
    else:
        _inspected(path.name, [file])


def _inspected(name: str, files: list[StoredFile]) -> None:
    found = inspect(recognise(name, files))
    if found.error is not None:
        raise found.error


def _scores(path: Path) -> None:
    """Read a file as the scores of a metric, or an archive of them."""
    file = StoredFile(path.name, opener(path))
    with TemporaryDirectory() as folder:
        scores_together([file], ("en", "de"), "", Path(folder) / "unpacked")


def _new_system(path: Path) -> None:
    for _output in system_outputs(StoredFile(path.name, opener(path))):
        pass


def _judgments(kind: InputFormat | None) -> Door:
    def door(path: Path) -> None:
        read_judgments([str(path)], input_format=kind)

    return door


def _five_way(path: Path) -> None:
    with path.open("rb") as stream:
        _refuse_nothing(read_five_way_csv(stream, path.name))


def _refuse_nothing(judgments: Iterable[object]) -> None:
    """Read judgments, and refuse a file without any, as imports do."""
    count = 0
    for _judgment in judgments:
        count += 1
    if not count:
        raise no_judgments_error()


def _spans(kind: SpansFormat) -> Door:
    def door(path: Path) -> None:
        read_spans([str(path)], input_format=kind)

    return door


def _answers_of(protocol: str, kind: str | None) -> Door:
    """Read a file as `import_answers`, its page and REST do, but in this process, and without a task."""
    reader = answer_files(protocol)
    assert reader is not None

    def door(path: Path) -> None:
        parts = reader.parse(StoredFile(path.name, opener(path)), kind)
        _refuse_nothing(reader.content(FileRecords.of(path.name, parts)).answers)

    return door


def _snippets(path: Path) -> None:
    snippets_of_rows(path.name, snippet_rows(StoredFile(path.name, opener(path))))


def _campaign_file(path: Path) -> None:
    with path.open("rb") as stream:
        part = campaign_file_check(read_yaml(path.name, stream.read(MAX_BYTES + 1)))
    part.validated(CampaignFileSerializer, ("version", "slug", "name"), is_new=True)


def _judge_list(path: Path) -> None:
    with path.open("rb") as stream:
        judge_list_read(judge_list_decode(stream.read(2_000_001)))


def _reproduce(path: Path) -> None:
    with opened_bundle(path) as bundle:
        check = bundle_check(bundle)
        result_reproduce(bundle)
        if check.findings:
            raise FormatError(
                path.name,
                "the bundle was changed",
                "give the one that was published",
            )


#: Every format that answers of a protocol are imported from: of rankings Parquet is among them.
_ANSWERS: Final = [
    (protocol, kind)
    for protocol in protocols_with_files()
    if (files := answer_files(protocol)) is not None
    for kind in (None, *files.formats)
]
DOORS: Final[dict[str, Door]] = {
    "test set: upload": _uploaded,
    **{f"test set: {kind}": _test_set(kind) for kind in TestSetFormat},
    "new system": _new_system,
    "scores of metrics": _scores,
    "judgments: import": _five_way,
    "judgments: command": _judgments(None),
    **{f"judgments: {kind}": _judgments(kind) for kind in InputFormat},
    **{f"answers: {kind}": _spans(kind) for kind in SpansFormat},
    **{
        f"answers of {protocol}: {kind or 'by its beginning'}": _answers_of(
            protocol,
            kind,
        )
        for protocol, kind in _ANSWERS
    },
    "snippets": _snippets,
    "campaign file": _campaign_file,
    "list of judges": _judge_list,
    "reproduce": _reproduce,
}
