"""Export a judge's own data as a zip of JSON files, with a page that explains them."""

import json
import zipfile
from datetime import date, datetime
from io import BytesIO
from typing import Any, Final
from uuid import UUID

from django.utils.translation import gettext as _

from annotation.selectors.kept_about import kept_about
from annotation.services.numbers import waiting_judgments_number
from campaign.models import Judge

#: File names in the zip.
DATA: Final = "data.json"
README: Final = "README.txt"


def own_data_zip(judge: Judge) -> bytes:
    """Return a judge's own data as a zip file."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(README, _readme(judge))
        archive.writestr(DATA, own_data_json(judge))
    return buffer.getvalue()


def own_data_json(judge: Judge) -> str:
    """Return the data kept about a judge as indented JSON."""
    waiting_judgments_number(campaign=judge.campaign)
    return (
        json.dumps(kept_about(judge), default=_plain, ensure_ascii=False, indent=1)
        + "\n"
    )


def _plain(value: Any) -> str:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, date | datetime):
        return value.isoformat()
    raise TypeError(type(value))


def _readme(judge: Judge) -> str:
    paragraphs = [
        _("Data that Quintet stores about %(judge)s in the campaign “%(campaign)s”.")
        % {"judge": judge.pseudonym, "campaign": judge.campaign.name},
        _(
            "data.json contains your account, how you joined, what you agreed to, your judgments, skips and comments with their times, your problem reports, and messages from the organisers.",
        ),
        _(
            "It does not reveal which system wrote a text. While you have items to judge, older judgments may be left out (judgments_left_out); download again when you have none.",
        ),
        _(
            "Organisers’ private notes about you are not included; ask the organisers for them.",
        ),
    ]
    return "\n\n".join(paragraphs) + "\n"
