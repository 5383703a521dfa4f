"""WSGI entry point; `config.gunicorn` serves it."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from config.logs import errors_report
from config.url_prefix import prefix_taken_off
from version import code_version

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# For `settings.DATABASE_LIMITS`.
os.environ["QUINTET_PROCESS"] = "web"

application = prefix_taken_off(get_wsgi_application(), settings.URL_PREFIX)
errors_report(settings.SENTRY_DSN, release=code_version())
# Loads all views, which otherwise each worker would load on its first request.
_ = get_resolver().url_patterns
