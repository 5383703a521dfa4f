"""Settings, all from the environment (twelve-factor); the defaults suit a laptop.

`environment.variables` lists them with their defaults; wrong values are refused by name. `DATABASE_URL`,
`REDIS_URL` and `SECRET_KEY` have no defaults: the launcher sets them for the demo and tests, the operator for
everything else.
"""

import os
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from kombu import Queue

from config.api.settings import DESCRIPTION, ENUM_NAMES, FRAMEWORK
from config.database_address import database_settings
from config.logs import logging_settings
from config.queues import QUEUES, RETIRED_QUEUES, ROUTES, every
from config.sign_in import *  # noqa: F403  accounts: passwords, second factors, single sign-on
from config.url_prefix import origin_and_path
from environment import environment_read
from environment.values import origin_of

env = environment_read(os.environ)

BASE_DIR = Path(__file__).resolve().parent.parent

# --- Hosts and proxies --------------------------------------------------------------------------

DEBUG = env["DEBUG"]
SECRET_KEY = env["SECRET_KEY"]
# The previous key, for the first start with a new one.
if env["SECRET_KEY_FALLBACK"]:
    SECRET_KEY_FALLBACKS = [env["SECRET_KEY_FALLBACK"]]
else:
    SECRET_KEY_FALLBACKS = []
ALLOWED_HOSTS = env["ALLOWED_HOSTS"]
CSRF_TRUSTED_ORIGINS = env["CSRF_TRUSTED_ORIGINS"] or []
# Behind a proxy that terminates TLS, HTTPS=1 makes cookies secure and trusts the header of the proxy.
HTTPS = env["HTTPS"]
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    # Health checks bypass the proxy; under a path prefix, Django sees the prefix,
    # too.
    SECURE_REDIRECT_EXEMPT = [r"(^|/)(healthz|readyz|metrics)$"]
    SECURE_HSTS_SECONDS = 31_536_000
# Number of trusted proxies, each of which appends its client to X-Forwarded-For. Only their entries
# are trusted; if the number is too high, clients can forge addresses.
PROXIES = env["PROXIES"]
# Base address of links printed by commands. The launcher sets the first while Quintet is running, and
# otherwise sets the second to its last address, which commands report as an assumption. Neither
# contains the path, which `reverse` adds.
PUBLIC_ADDRESS, _path = origin_and_path(env["PUBLIC_ADDRESS"])
ASSUMED_ADDRESS = env["ASSUMED_ADDRESS"]
if PUBLIC_ADDRESS.startswith("https://"):
    # Forms work even if a proxy passes on neither the scheme nor the port.
    CSRF_TRUSTED_ORIGINS = [*CSRF_TRUSTED_ORIGINS, origin_of(urlsplit(PUBLIC_ADDRESS))]
# Path of Quintet at a proxy, such as "/quintet"; removed by the proxy or by `config.url_prefix`.
URL_PREFIX = env["URL_PREFIX"] or _path
if URL_PREFIX:
    FORCE_SCRIPT_NAME = URL_PREFIX
# Other services on this host do not receive these cookies.
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = f"{URL_PREFIX}/"
# Below a path, browsers also send the cookies of a site at "/". If it has Django's names, too, its values count.
_SUFFIX = URL_PREFIX.replace("/", "_")
SESSION_COOKIE_NAME = f"sessionid{_SUFFIX}"
CSRF_COOKIE_NAME = f"csrftoken{_SUFFIX}"
LANGUAGE_COOKIE_NAME = f"django_language{_SUFFIX}"
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
CSRF_FAILURE_VIEW = "campaign.views.sign_in.form_expired"
SILENCED_SYSTEM_CHECKS = [
    # HSTS for subdomains and in preload lists is left to the owner of the domain, who
    # may have other services there. The proxy can send the header.
    "security.W005",
    "security.W021",
]

# --- Applications -------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "pgtrigger",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "campaign",
    "annotation",
    "ranking",
    "protocols",
    "desk",
    "demo",
    "whole_campaigns",
]

MIDDLEWARE = [
    # Outermost, so that all responses are counted and all log lines have the ID of the request.
    "config.metrics.requests_measure",
    "config.logs.requests_name",
    # Also for errors.
    "config.requests.secret_addresses",
    "config.requests.headers_add",
    "config.api.errors.problems_describe",
    # Before anything that checks the host or HTTPS.
    "config.metrics.AliveMiddleware",
    "config.requests.prefix_demand",
    "config.requests.scheme_demand",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # Before control characters are refused, which may follow a link.
    "config.requests.links_trim",
    "config.requests.control_characters_refuse",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "campaign.accounts.interface_language.InterfaceLanguageMiddleware",
    "campaign.accounts.time_zone.TimeZoneMiddleware",
    "config.slashes.SlashMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "campaign.accounts.second_factors.DemandedFactorMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "config.requests.ArchivedCampaignMiddleware",
    "campaign.database.acting.ActingMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "campaign.pages.desk.rights",
                "demo.still_loading.still_loading",
            ],
            # Available in templates without {% load %}.
            "builtins": [
                "django.templatetags.i18n",
                "django.templatetags.l10n",
                "django.templatetags.static",
                "django.templatetags.tz",
                "django_htmx.templatetags.django_htmx",
                "campaign.templatetags.desk",
                "campaign.templatetags.joining",
                "campaign.templatetags.members",
                "campaign.templatetags.texts",
                "annotation.templatetags.judges",
                "ranking.templatetags.figures",
            ],
        },
    },
]

# --- Databases ----------------------------------------------------------------------------------

DATABASES = {"default": database_settings(env["DATABASE_URL"])}
# Role of web servers and workers, to which `migrate` grants rights; see campaign/database/roles.py.
APPLICATION_ROLE = DATABASES["default"]["USER"]
DATABASES["default"]["CONN_MAX_AGE"] = env["CONN_MAX_AGE"]
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# Short timeout for servers that cannot be reached. TCP detects one that disappeared with its machine or
# network; over a Unix socket, this has no effect.
DATABASES["default"]["OPTIONS"] = {
    "connect_timeout": 5,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    **DATABASES["default"]["OPTIONS"],
}
# Time limits of database work in seconds, by kind of process; 0 for no limit
# (`campaign.database.connections.time_limits`).
DATABASE_LIMITS = {
    "web": {
        # The longest statements of pages and exports take one or two seconds.
        "statement": 30,
        # Judges wait for each other for milliseconds. Threads must not wait for a migration.
        "lock": 10,
        # Longer than a slow client may take to read a part of an export.
        "idle": 300,
        # Threads that are no longer needed keep no process of PostgreSQL.
        "unused": 300,
    },
    "worker": {
        # The time limit of a task.
        "statement": 600,
        "lock": 60,
        # A ranking is computed in the transaction that holds its lock.
        "idle": 660,
    },
    "command": {
        # A user watches an import of a million texts, and can stop it.
        "statement": 0,
        # A migration that waits for a lock blocks everything else; it is better to retry it.
        "lock": 60,
        "idle": 3600,
    },
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env["REDIS_URL"]

CACHES = {
    # Only for counts that limit sign-ins and arrivals at panels: all processes must share them, and they
    # must be available without the broker.
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "campaign_signincount",
        "KEY_FUNCTION": "campaign.accounts.clients.cache_key",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
    # API requests; counting them in the database would cost a write each.
    "throttles": {
        "BACKEND": "config.caches.LossyRedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "throttles",
        "OPTIONS": {
            # Values read must not be able to run code, as pickles do.
            "serializer": "django.core.signing.JSONSerializer",
            "socket_connect_timeout": 0.5,
            "socket_timeout": 1,
            "retry": None,
        },
    },
}

# --- The workers --------------------------------------------------------------------------------

# Celery has its own notation for a Unix socket.
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://").replace(
    "?db=",
    "?virtual_host=",
)
if REDIS_URL.startswith("rediss://"):
    # By default, Celery would accept any certificate; redis-py does not.
    CELERY_BROKER_USE_SSL = {"ssl_cert_reqs": ssl.CERT_REQUIRED}
CELERY_TASK_QUEUES = [
    Queue(name, routing_key=name) for name in (*QUEUES, *RETIRED_QUEUES)
]
CELERY_TASK_ROUTES = ROUTES
CELERY_TASK_DEFAULT_QUEUE = "housekeeping"
# A queue missing from the list would have no worker.
CELERY_TASK_CREATE_MISSING_QUEUES = False
CELERY_TASK_IGNORE_RESULT = True
# If a worker is killed during a task, another one repeats it; every task may run twice.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Without a limit: a worker that gave up would have to be started again by hand.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# Also while the broker refuses to write, as with a full disk or memory.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 600,
    # An unavailable broker must not delay submissions of judges; see also `config.celery.SEND_TIMEOUT`.
    "socket_connect_timeout": 0.5,
    "socket_timeout": 5,
}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_TIME_LIMIT = 600
CELERY_TIMEZONE = "UTC"
# In memory, with a clock that cannot be set back.
CELERY_BEAT_SCHEDULER = "config.beat:Scheduler"
CELERY_BEAT_SCHEDULE = {
    # Finds work whose notification was lost.
    "rank-what-is-due": every(30, "ranking.tasks.rank_what_is_due"),
    "fill-pools": every(10, "annotation.tasks.fill_pools"),
    "fill-all-pools": every(900, "annotation.tasks.fill_all_pools"),
    "clean-media": every(300, "campaign.tasks.clean_media"),
    "clean-up": every(3600, "campaign.tasks.clean_up"),
    "send-mails": every(60, "campaign.tasks.send_mails"),
    "send-alert-mails": every(3600, "ranking.tasks.send_alert_mails"),
    "deliver-webhooks": every(15, "annotation.tasks.deliver_webhooks"),
    "run-jobs": every(60, "campaign.tasks.run_jobs"),
    "refresh-participations": every(60, "annotation.tasks.refresh_participations"),
    "carry-out-erasures": every(3600, "annotation.tasks.carry_out_erasures"),
    "close-campaigns": every(60, "campaign.tasks.close_campaigns"),
    "empty-bin": every(86_400, "campaign.tasks.empty_bin"),
    "check-tallies": every(86_400, "ranking.tasks.check_tallies"),
    "keep-rankings-of-days": every(3600, "ranking.tasks.keep_rankings_of_days"),
}

# --- Files of texts -----------------------------------------------------------------------------

# Maximum total size of the files of an upload, which are stored in the database until imported.
UPLOAD_MAX_BYTES = env["UPLOAD_MAX_BYTES"]

# --- The pool -----------------------------------------------------------------------------------

# HITs planned in advance last an hour at the current pace of a test set, within these bounds.
POOL_MIN_HITS = env["POOL_MIN_HITS"]
POOL_MAX_HITS = env["POOL_MAX_HITS"]

# --- People -------------------------------------------------------------------------------------

AUTH_USER_MODEL = "campaign.User"
SESSION_ENGINE = "campaign.accounts.sessions"
PASSWORD_HASHERS = ["campaign.accounts.clients.SmallArgon2Hasher"]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign-in"
# The browser of a judge is only useful while the judge can be contacted; see docs/privacy.md.
BROWSER_VISITS_KEPT_DAYS = env["BROWSER_VISITS_KEPT_DAYS"]
# Judges return the next day and the next week. Counted from sign-in.
SESSION_COOKIE_AGE = env["SESSION_DAYS"] * 60 * 60 * 24
# Default validity of links and tokens (decision 38).
JUDGE_LINK_DAYS = env["JUDGE_LINK_DAYS"]
ORGANISER_LINK_DAYS = env["ORGANISER_LINK_DAYS"]
TOKEN_DAYS = env["TOKEN_DAYS"]
# Longer than any campaign; then a new token is needed.
TOKEN_MOST_DAYS = env["TOKEN_MOST_DAYS"]
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"

# --- Webhooks -----------------------------------------------------------------------------------

# Organisers choose the receivers: public servers by HTTPS, unless the operator allows others.
WEBHOOKS_ALLOW_PRIVATE = env["WEBHOOKS_ALLOW_PRIVATE"]
WEBHOOKS_ALLOW_HTTP = env["WEBHOOKS_ALLOW_HTTP"]

# --- Mail ---------------------------------------------------------------------------------------

# Without a mail server, messages are printed, with hidden links as in all logs. For trying them out,
# `make demo` writes them to a folder.
_MAIL = environ.Env.email_url_config(env["EMAIL_URL"])
EMAIL_BACKEND = _MAIL["EMAIL_BACKEND"]
if EMAIL_BACKEND == "django.core.mail.backends.smtp.EmailBackend":
    EMAIL_BACKEND = "config.mail_backend.EmailBackend"
EMAIL_HOST = _MAIL.get("EMAIL_HOST", "localhost")
_MAIL_PORTS = {"smtp+ssl": 465, "smtp+tls": 587}
EMAIL_PORT = _MAIL.get("EMAIL_PORT") or _MAIL_PORTS.get(
    urlsplit(env["EMAIL_URL"]).scheme,
    25,
)
EMAIL_HOST_USER = _MAIL.get("EMAIL_HOST_USER") or ""
EMAIL_HOST_PASSWORD = _MAIL.get("EMAIL_HOST_PASSWORD") or ""
EMAIL_USE_TLS = _MAIL.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = _MAIL.get("EMAIL_USE_SSL", False)
EMAIL_FILE_PATH = _MAIL.get("EMAIL_FILE_PATH") or None
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env["DEFAULT_FROM_EMAIL"]

# --- Browser permissions ------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "media-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

# --- Languages ----------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
# Each language has its own name for itself, so that its speakers recognise it.
LANGUAGES = [
    ("en", "English"),
    ("de", "Deutsch"),
    ("cs", "Čeština"),
    ("es", "Español"),
    ("zh-hans", "中文"),
    ("ar", "العربية"),
]
LANGUAGE_COOKIE_AGE = 60 * 60 * 24 * 365
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SECURE = HTTPS
LANGUAGE_COOKIE_SAMESITE = "Lax"
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = ["config.formats"]
TIME_ZONE = env["TIME_ZONE"]
USE_TZ = True
USE_THOUSAND_SEPARATOR = True

# --- Static files -------------------------------------------------------------------------------

STATIC_URL = f"{URL_PREFIX}/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "config.storage.LibrariesFinder",
]
STATIC_ROOT = BASE_DIR / env["STATIC_ROOT"]
# Other sites cannot use our scripts.
WHITENOISE_ALLOW_ALL_ORIGINS = False
STATIC_HASHED = env["STATIC_HASHED"]
if STATIC_HASHED == "":
    STATIC_HASHED = not DEBUG
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "config.storage.HashedStaticFiles"
        if STATIC_HASHED
        else "django.contrib.staticfiles.storage.StaticFilesStorage",
    },
}

# Storage of exported files: a class of django-storages with options, or empty for the database.
if env["EXPORT_STORAGE"]:
    STORAGES["exports"] = {
        "BACKEND": env["EXPORT_STORAGE"],
        "OPTIONS": env["EXPORT_STORAGE_OPTIONS"] or {},
    }
# Storage of pictures, recordings and videos, as in STORAGES, or empty for the database.
if env["MEDIA_STORAGE"]:
    STORAGES["media"] = {"OPTIONS": {}, **env["MEDIA_STORAGE"]}
for _storage in STORAGES.values():
    if _storage["BACKEND"] == "storages.backends.s3.S3Storage":
        # Objects above 8 MiB are buffered on disk while read, not in memory.
        _storage["OPTIONS"].setdefault("max_memory_size", 8 * 1024 * 1024)

# --- Reports to operators -------------------------------------------------------------------------

# Token required for `/metrics`; without it, the address does not exist and nothing is counted.
METRICS_TOKEN = env["METRICS_TOKEN"]
# Address of a service with the protocol of Sentry for error reports; without it, none are sent.
SENTRY_DSN = env["SENTRY_DSN"]

# --- REST ---------------------------------------------------------------------------------------

REST_FRAMEWORK = FRAMEWORK
# API requests per person, minute and web process, by token or sign-in, except judging; 0 for no
# limit.
API_READS_A_MINUTE = env["API_READS_A_MINUTE"]
API_WRITES_A_MINUTE = env["API_WRITES_A_MINUTE"]
SPECTACULAR_SETTINGS = {
    "TITLE": "Quintet",
    "SERVERS": [{"url": URL_PREFIX}] if URL_PREFIX else [],
    "DESCRIPTION": DESCRIPTION,
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    # Requests need not include fields that exist only in responses.
    "COMPONENT_SPLIT_REQUEST": True,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "config.api.description.api_describe",
    ],
    "ENUM_NAME_OVERRIDES": ENUM_NAMES,
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
}

# --- Logs ---------------------------------------------------------------------------------------

# Both hide tokens and keys in addresses; see `config.logs`.
DEFAULT_EXCEPTION_REPORTER = "config.logs.ErrorReporter"

LOG_FORMAT = env["LOG_FORMAT"]
LOG_LEVEL = env["LOG_LEVEL"]
LOGGING = logging_settings(log_format=LOG_FORMAT, level=LOG_LEVEL)
