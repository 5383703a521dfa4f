"""Languages as canonical tags, so that those of judges and of test sets stay equal."""

from typing import Any

import pgtrigger
from django.db import migrations

from campaign.texts.language_tags import LanguageTagError, language_tag_checked


def _canonical(text: str) -> str:
    """Return the canonical tag; what is none stays: what was judged is called as before."""
    try:
        return language_tag_checked(text)
    except LanguageTagError:
        return text


def canonical_tags_store(apps: Any, _schema_editor: Any) -> None:
    test_sets = apps.get_model("campaign", "TestSet").objects
    for row in test_sets.all():
        before = row.source_language, row.target_language
        source, target = map(_canonical, before)
        if source == target:
            # One of the two is wrong, and nothing says which: the texts' source is not known to be in it.
            source = "und" if target != "und" else "mul"
        if before != (source, target):
            test_sets.filter(pk=row.pk).update(source_language=source, target_language=target)
    for model in ("Judge", "Invitation", "Panel"):
        rows = apps.get_model("campaign", model).objects
        for row in rows.exclude(languages=[]).only("languages"):
            tags = list(dict.fromkeys(map(_canonical, row.languages)))
            if tags != row.languages:
                rows.filter(pk=row.pk).update(languages=tags)
    instructions = apps.get_model("campaign", "Instructions").objects
    # The interface's `zh-hans` would else stay in force beside a later `zh-Hans`. The text is as it was.
    with pgtrigger.ignore("campaign.Instructions:instructions_never_change"):
        for row in instructions.only("language"):
            if row.language != _canonical(row.language):
                instructions.filter(pk=row.pk).update(language=_canonical(row.language))


class Migration(migrations.Migration):
    dependencies = [
        ("campaign", "0009_campaign_moves"),
    ]

    operations = [
        migrations.RunPython(canonical_tags_store, migrations.RunPython.noop),
    ]
