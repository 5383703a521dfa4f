"""Times that the database sets."""

from datetime import datetime

from django.db import models
from django.db.models.expressions import Combinable
from django.db.models.functions import Now


def inserted_at() -> "models.DateTimeField[str | datetime | Combinable, datetime]":
    """Return a field with the database's time when its row is inserted."""
    return models.DateTimeField(db_default=Now(), editable=False)
