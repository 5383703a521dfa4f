"""Write docs/permissions.md."""

import os
import sys

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "config.offline"
django.setup()

from tests.permissions.words import page  # noqa: E402  it needs the models

sys.stdout.write(page())
