"""Settings for `collectstatic`, without the applications, which take longer to load than the files to collect."""

from config.settings import *  # noqa: F403

INSTALLED_APPS = ["django.contrib.staticfiles"]
