"""WSGI entry point; `config.gunicorn` serves it."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# For `settings.DATABASE_LIMITS`.
os.environ["QUINTET_PROCESS"] = "web"

application = get_wsgi_application()
# With all views, which the first request would load in each worker by itself.
_ = get_resolver().url_patterns
