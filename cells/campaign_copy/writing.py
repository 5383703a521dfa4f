"""Write a static copy into a zip or a folder. The same campaign gives the same bytes."""

import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from campaign.models import Campaign
from cells.campaign_copy.pages import CampaignPages

#: Called with how many files are done, of how many.
Told = Callable[[int, int], None]
# Zips begin with this day: moments of this machine would make each copy another.
_MOMENT: Final = (1980, 1, 1, 0, 0, 0)
_MODE: Final = 0o644 << 16


def zip_write(
    stream: IO[bytes], campaign: Campaign, *, with_texts: bool, address: str, told: Told
) -> int:
    """Write the copy of a campaign as a zip with one folder; return its number of pages.

    Raises
    ------
    PublishingRefusedError, CopyRefusedError
        As `CampaignPages` does.
    """
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:

        def store(path: str, content: bytes) -> None:
            entry = zipfile.ZipInfo(f"{campaign.slug}/{path}", _MOMENT)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, _MODE
            archive.writestr(entry, content)

        return _write(store, campaign, with_texts=with_texts, address=address, told=told)


def folder_write(
    folder: Path, campaign: Campaign, *, with_texts: bool, address: str, told: Told
) -> int:
    """Write the copy of a campaign into a folder, which is made or empty; return its number of pages.

    What ends the writing early leaves the folder as it was.

    Raises
    ------
    OSError
        If the folder cannot be written.
    PublishingRefusedError, CopyRefusedError
        As `CampaignPages` does.
    """

    with _filled(folder) as part:

        def store(path: str, content: bytes) -> None:
            file = part / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)

        return _write(store, campaign, with_texts=with_texts, address=address, told=told)


@contextmanager
def _filled(folder: Path) -> Iterator[Path]:
    """Give a folder to write, which becomes `folder` when all went well, or what is in it where that is there."""
    is_there = folder.exists()
    # A folder that is there may be the mount of another disk: nothing is moved into it from outside.
    part = (folder if is_there else folder.parent) / f".{folder.name}.{os.getpid()}.part"
    try:
        part.mkdir(parents=True)
        yield part
        if is_there:
            for each in list(part.iterdir()):
                each.rename(folder / each.name)
            part.rmdir()
        else:
            part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _write(
    store: Callable[[str, bytes], None],
    campaign: Campaign,
    *,
    with_texts: bool,
    address: str,
    told: Told,
) -> int:
    pages = CampaignPages(campaign, with_texts=with_texts, address=address)
    count = 0
    for done, (path, content) in enumerate(pages, 1):
        store(path, content)
        count += path.endswith(".html")
        told(min(done, pages.expected), pages.expected)
    return count
