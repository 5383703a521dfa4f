"""Settings of `collectstatic`, which needs none of the applications: to load them takes longer than to collect."""

from config.settings import *  # noqa: F403

INSTALLED_APPS = ["django.contrib.staticfiles"]
