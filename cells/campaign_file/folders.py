"""The files with texts that a campaign's file names: only in its own folder, or in folders given by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cells.campaign_file.said import Said


@dataclass(frozen=True, slots=True)
class TextFolders:
    """Where files may be: the folder of the campaign's file first, then those of the command line."""

    folders: tuple[Path, ...]

    @classmethod
    def of(cls, file: Path, others: Sequence[Path] = ()) -> "TextFolders":
        """Return the folder of a campaign's file and others, without links in their own paths."""
        return cls(tuple(folder.resolve() for folder in (file.absolute().parent, *others)))

    def found(self, said: Said, name: str, key: str | None = None) -> Path | None:
        """Return the path of a file or folder; None if none of the folders has it.

        Raises FormatError for what would be outside all of them, by `..`, by a link or from the root.
        """
        inside = False
        for folder in self.folders:
            try:
                path = (folder / name).resolve()
            except (OSError, ValueError, RuntimeError):
                continue
            if not path.is_relative_to(folder):
                continue
            inside = True
            if path.exists():
                return path
        if not inside:
            raise said.error(
                f'"{name}" is outside the folder of this file',
                "put the texts beside this file, or name their folder with --texts",
                key,
            )
        return None

    def needed(self, said: Said, name: str, key: str | None = None) -> Path:
        """Return the path of a file or folder. Raises FormatError if it is not there, or outside."""
        path = self.found(said, name, key)
        if path is None:
            where = ", ".join(str(folder) for folder in self.folders)
            raise said.error(
                f'there is no file "{name}" in {where}',
                "put it there, or name its folder with --texts",
                key,
            )
        return path
