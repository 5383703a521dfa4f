"""Bodies of triggers stand in files of SQL, found by the trigger's name."""

import re
from pathlib import Path

import pgtrigger
from django.conf import settings

from campaign.database.triggers import FOLDER


def test_each_file_is_the_body_of_a_trigger_of_its_app() -> None:
    root = Path(settings.BASE_DIR)
    files = {
        (path.parts[-3], path.stem)
        for apps in ("*", "protocols/*")
        for path in root.glob(f"{apps}/{FOLDER}/*.sql")
    }
    triggers = {
        (model._meta.app_label, trigger.name)
        for model, trigger in pgtrigger.registered()
        if type(trigger) is pgtrigger.Trigger
    }
    # A trigger for each kind of statement may have the same body, under its name and a word.
    assert files == {
        (app, name if (app, name) in files else str(name).rpartition("_")[0])
        for app, name in triggers
    }


def test_no_part_of_a_body_is_left_to_be_put_in() -> None:
    for _model, trigger in pgtrigger.registered():
        # What is put in has a name; '{1}' is an array of SQL.
        assert not re.search(r"\{[^\W\d]\w*\}", str(trigger.func))
