"""Freeze a new migration: describe the tables that it leaves, and list the digest of its file.

    make migration-freeze

Nothing listed is changed. To freeze a migration anew that is not merged yet, delete its lines and its file first.
"""

import sys
from hashlib import sha256
from pathlib import Path

from django.conf import settings

from campaign.database.catalogue import (
    FOLDER,
    OURS,
    Catalogue,
    catalogues,
    is_squashed,
    ours,
)

#: Digests of all migrations, for `sha256sum --check`.
LISTED = Path(__file__).parents[1] / "data" / "migrations.sha256"


def listed_digests() -> dict[str, str]:
    """Return the digest of each listed migration by its path."""
    lines = LISTED.read_text(encoding="utf-8").splitlines()
    return {path: digest for digest, path in (line.split("  ") for line in lines)}


def digests() -> dict[str, str]:
    """Return the digest of each migration by its path; squashed ones are written anew for a release."""
    files = [
        path
        for app in OURS
        for path in settings.BASE_DIR.glob(f"{app}/migrations/0*.py")
        if not is_squashed(path.name)
    ]
    return {
        str(path.relative_to(settings.BASE_DIR)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(files)
    }


def catalogue_freeze(found: Catalogue) -> Path:
    """Write the catalogue of a database with all migrations; return its file.

    Raises:
        SystemExit: the same migrations made other tables before.
    """
    for path in FOLDER.glob("*.json"):
        kept = Catalogue.read(path)
        if ours(kept.migrations) == ours(found.migrations):
            if differences := kept.differences(found):
                heading = f"{path.name} is frozen, and these migrations now make other tables:"
                sys.exit("\n".join([heading, *differences]))
            break
    else:
        path = FOLDER / f"{_new_migrations(found)[-1]}.json"
    # Tables of libraries may be those of newer ones.
    found.write(path)
    return path


def _new_migrations(found: Catalogue) -> list[str]:
    known = {
        f"{app}.{name}"
        for catalogue in catalogues()
        for app, names in catalogue.migrations.items()
        for name in names
    }
    names = [
        f"{app}.{name}"
        for app, names in ours(found.migrations).items()
        for name in names
    ]
    return [name for name in names if name not in known]


def digests_freeze() -> None:
    """Add the digests of new migrations to the list.

    Raises:
        SystemExit: a listed migration has changed.
    """
    listed, present = listed_digests() if LISTED.exists() else {}, digests()
    changed = [path for path in listed if present.get(path) != listed[path]]
    if changed:
        sys.exit(
            f"Migrations are never edited. Undo this, and write a new one: {', '.join(changed)}",
        )
    lines = [f"{digest}  {path}\n" for path, digest in sorted(present.items())]
    LISTED.write_text("".join(lines), encoding="utf-8")


def main() -> None:
    """Freeze the migrations of this checkout."""
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    digests_freeze()
    call_command("migrate", verbosity=0)
    sys.stdout.write(f"{catalogue_freeze(Catalogue.of(connection))}\n")


if __name__ == "__main__":
    main()
