"""An organiser with files."""

from collections.abc import Callable, Mapping

import pytest

from campaign.models import Campaign, Upload, User
from campaign.services.uploads import upload_begin, upload_file_add, upload_part_store
from tests.factories import make_campaign

SOURCE = b"Die Katze schlief auf dem Dach.\nDer Hund lief durch den Garten.\n"
REFERENCE = b"The cat slept on the roof.\nThe dog ran through the garden.\n"
FILES = {
    "news/source.de.txt": SOURCE,
    "news/reference.en.txt": REFERENCE,
    "news/systems/alpha.txt": b"The cat was sleeping on the roof.\nThe dog ran across the garden.\n",
    "news/systems/beta.txt": b"Cat slept upon roof.\nDog ran through garden.\n",
}

Sent = Callable[..., Upload]


@pytest.fixture
def campaign(transactional_db: None) -> Campaign:
    return make_campaign()


@pytest.fixture
def sent(campaign: Campaign, organiser: User) -> Sent:
    """Uploads files as a whole: those of a small test set, changed by `files`; None leaves one out."""

    def send(
        files: Mapping[str, bytes | None] | None = None,
        **fields: object,
    ) -> Upload:
        upload = upload_begin(campaign=campaign, user=organiser)
        for name, content in (FILES | dict(files or {})).items():
            if content is not None:
                file = upload_file_add(upload=upload, name=name, size=len(content))
                upload_part_store(file=file, offset=0, content=content)
        if fields:
            Upload.objects.filter(pk=upload.pk).update(**fields)
        upload.refresh_from_db()
        return upload

    return send
