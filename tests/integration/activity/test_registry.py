"""What the activity log records, and that nothing writes it unseen."""

import re
from pathlib import Path

from django.conf import settings

from campaign.database.recording import recorded_models

# Words that a column of secrets would have in its name.
SECRETS = ("token", "secret", "key", "hash", "password", "code", "seed", "url")


def test_no_value_of_a_secret_is_recorded() -> None:
    for model in recorded_models():
        fields = model.recording.fields
        assert not [name for name in fields if any(word in name for word in SECRETS)], (
            model
        )


#: Files that write recorded tables past Django, and how the log knows of it.
PAST_DJANGO = {
    "whole_campaigns/task_deletion.py": "rows_deleted",
    "whole_campaigns/erasing.py": "the log goes with the campaign",
    "campaign/triggers.sql": "no recorded column",
}


def test_recorded_tables_are_written_past_django_in_known_files_alone() -> None:
    tables = "|".join(model._meta.db_table for model in recorded_models())
    past = re.compile(
        rf"(?:INSERT INTO|UPDATE|DELETE FROM)\s+(?:ONLY\s+)?\"?(?:(?:{tables})\b|\{{)"
        r"|_raw_delete\(",
    )
    root = Path(settings.BASE_DIR)
    found = {
        str(path.relative_to(root))
        for app in (
            "campaign",
            "annotation",
            "ranking",
            "protocols",
            "whole_campaigns",
            "demo",
            "desk",
            "config",
        )
        for path in (root / app).rglob("*")
        if path.suffix in {".py", ".sql"} and "migrations" not in path.parts
        if past.search(path.read_text(encoding="utf-8"))
    }
    others = {
        "annotation/services/submission.py",
    }  # the tables of answers, which are not recorded
    assert found - others == set(PAST_DJANGO)
