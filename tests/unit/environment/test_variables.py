"""Wrong settings are refused by their names, all together, in every process."""

import os
import subprocess
import sys

import pytest

from environment import VARIABLES, environment_check, environment_read
from environment.variables import RETIRED
from launcher.data_directory import CHECKOUT

REQUIRED = {
    "DATABASE_URL": "postgres:///q",
    "REDIS_URL": "redis://r",
    "SECRET_KEY": "s",
}

WRONG = [
    {"DATABASE_URL": "mysql://host/quintet"},
    {"DATABASE_URL": "postgresql://host"},
    {"DATABASE_URL": "postgresql://user:pass#word@host/quintet"},
    {"DATABASE_URL": "postgresql://user@host:port/quintet"},
    # Passwords with special characters, which some parsers take and libpq does not.
    {"DATABASE_URL": "postgresql://user:pa%word@host/quintet"},
    {"DATABASE_URL": "postgresql://user:pa@word@host/quintet"},
    {"DATABASE_URL": "postgresql://user:12/word@host/quintet"},
    {"DATABASE_URL": "psql://user:pass@host/quintet"},
    {"DATABASE_URL": "postgresql://user:pass@host/quintet new"},
    {"MIGRATION_DATABASE_URL": "host/quintet"},
    {"REDIS_URL": "localhost:6379"},
    {"REDIS_URL": "redis:///0"},
    {"REDIS_URL": "redis://host/first"},
    {"REDIS_URL": "rediss://host:6379/0?ssl_cert_reqs=CERT_NONE"},
    {"REDIS_URL": "redis://user:12#word@host:6379/0"},
    {"REDIS_URL": "redis://user:12?word@host:6379/0"},
    {"CONN_MAX_AGE": "-1"},
    {"CONN_MAX_AGE": "None"},
    {"PUBLIC_ADDRESS": "campaign.example.org"},
    {"PUBLIC_ADDRESS": "https://campaign.example.org:port"},
    {"PUBLIC_ADDRESS": "https://campaign.example.org//quintet"},
    {"ALLOWED_HOSTS": "https://campaign.example.org"},
    {"ALLOWED_HOSTS": "localhost,campaign.example.org:443"},
    {"ALLOWED_HOSTS": "campaign.example.org localhost"},
    {"CSRF_TRUSTED_ORIGINS": "campaign.example.org"},
    {"CSRF_TRUSTED_ORIGINS": "https://campaign.example.org/quintet"},
    {"HTTPS": "tru"},
    {"HTTPS": "2"},
    {"PROXIES": "-1"},
    {"URL_PREFIX": "quintet/"},
    {"URL_PREFIX": "/"},
    {"WEB_CONCURRENCY": "0"},
    {"CELERY_WORKER_POOL": "thread"},
    {"TIME_ZONE": "Europe/Atlantis"},
    {"TIME_ZONE": "Europe"},
    {"TIME_ZONE": "../etc/passwd"},
    {"UPLOAD_MAX_BYTES": "1e9"},
    {"EXPORT_STORAGE": "storages.backends.s4.S4Storage"},
    {"EXPORT_STORAGE": "s3"},
    {"EXPORT_STORAGE_OPTIONS": "{bucket_name: exports}"},
    {"EXPORT_STORAGE_OPTIONS": "[]"},
    {"MEDIA_STORAGE": "storages.backends.s3.S3Storage"},
    {"MEDIA_STORAGE": '{"OPTIONS": {}}'},
    {"MEDIA_STORAGE": '{"BACKEND": "storages.backends.s4.S4Storage"}'},
    {"EMAIL_URL": "mail.example.org:587"},
    {"EMAIL_URL": "smtp+tls://"},
    {"EMAIL_URL": "smtps://user:password@mail.example.org:465"},
    {"EMAIL_URL": "smtp://user:pa/ss@mail.example.org"},
    {"EMAIL_URL": "smtp://user:12#word@mail.example.org"},
    {"EMAIL_URL": "smtp://user:p%C3%A4ss@mail.example.org"},
    {"EMAIL_URL": "smtp://user:word@mail.example.org:587/?tls=True"},
    {"DEFAULT_FROM_EMAIL": "Quintet"},
    {"JUDGE_LINK_DAYS": "abc"},
    {"JUDGE_LINK_DAYS": "0"},
    {"SESSION_DAYS": "40000"},
    {"OIDC_ISSUER": "id.example.org"},
    {"LOG_LEVEL": "LOUD"},
    {"LOG_FORMAT": "jsonl"},
    {"METRICS_TOKEN": "fifteen letters"},
    {"SENTRY_DSN": "https://sentry.example.org/1"},
]
CONTRADICTORY = [
    ({"TOKEN_MOST_DAYS": "90"}, "TOKEN_DAYS=365 must not be above TOKEN_MOST_DAYS=90"),
    ({"POOL_MAX_HITS": "100"}, "POOL_MIN_HITS=200 must not be above POOL_MAX_HITS=100"),
    (
        {"OIDC_ISSUER": "https://id.org"},
        "OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set",
    ),
    ({"OIDC_CLIENT_SECRET": "x"}, "OIDC_ISSUER and OIDC_CLIENT_ID must be set"),
    ({"EXPORT_STORAGE_OPTIONS": '{"bucket_name": "b"}'}, "EXPORT_STORAGE is not"),
    ({"PUBLIC_ADDRESS": "https://a.org/b", "URL_PREFIX": "/c"}, "but URL_PREFIX is /c"),
]
RIGHT = [
    {"DATABASE_URL": "postgres://user:p%23@[::1]:5432/quintet?sslmode=require"},
    {"DATABASE_URL": "postgresql://user@/quintet?host=/run/postgresql"},
    {"DATABASE_URL": "postgresql://user@one:5432,two:5432/quintet"},
    {"REDIS_URL": "unix:///run/valkey.sock?db=1"},
    {"REDIS_URL": "rediss://:password@host:6379/1"},
    {
        "REDIS_URL": "rediss://host:6379/1?ssl_cert_reqs=none&ssl_ca_certs=/etc/ssl/own.pem",
    },
    {"ALLOWED_HOSTS": "127.0.0.1, [::1],.example.org,*"},
    {"CSRF_TRUSTED_ORIGINS": "https://*.example.org,http://localhost:8000"},
    {"HTTPS": "True"},
    {"URL_PREFIX": "/quintet/"},
    {
        "PUBLIC_ADDRESS": "https://campaign.example.org/quintet/",
        "URL_PREFIX": "/quintet",
    },
    {"EMAIL_URL": "filemail:///tmp/mails"},
    {"EMAIL_URL": "filemail:////home/Jana Nováková/mails"},
    {"DEFAULT_FROM_EMAIL": "Quintet <quintet@example.org>"},
    {
        "EXPORT_STORAGE": "storages.backends.s3.S3Storage",
        "EXPORT_STORAGE_OPTIONS": '{"a": 1}',
    },
    {"MEDIA_STORAGE": '{"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": {}}'},
    {"SENTRY_DSN": "https://key@sentry.example.org/1"},
    {"OIDC_ISSUER": "https://i.org", "OIDC_CLIENT_ID": "i", "OIDC_CLIENT_SECRET": "s"},
]


@pytest.mark.parametrize("environment", WRONG, ids=str)
def test_a_wrong_value_is_refused_by_its_name(environment: dict[str, str]) -> None:
    [name] = environment
    with pytest.raises(
        SystemExit,
        match=rf"{name}(=| \(value hidden\)).*Example: {name}=",
    ):
        environment_check(dict(environment))


def test_white_space_around_values_is_removed_except_from_the_secret_key() -> None:
    environment = {
        "TIME_ZONE": "Europe/Prague\r",
        "DATABASE_URL": " postgresql:///q \r",
        "SECRET_KEY": "s ",
    }
    environment_check(environment)
    assert environment == {
        "TIME_ZONE": "Europe/Prague",
        "DATABASE_URL": "postgresql:///q",
        "SECRET_KEY": "s ",
    }


@pytest.mark.parametrize(("environment", "words"), CONTRADICTORY)
def test_settings_that_contradict_each_other_are_refused(
    environment: dict[str, str],
    words: str,
) -> None:
    with pytest.raises(SystemExit) as refusal:
        environment_check(dict(environment))
    assert words in str(refusal.value)


@pytest.mark.parametrize("environment", RIGHT, ids=str)
def test_a_right_value_is_taken(environment: dict[str, str]) -> None:
    environment_read({**REQUIRED, **environment})


def test_all_wrong_settings_are_listed_and_no_secret_is_shown() -> None:
    environment = {
        "DATABASE_URL": "mysql://root:hunter2@host/q",
        "METRICS_TOKEN": "hunter2",
        "PROXIES": "one",
    }
    with pytest.raises(SystemExit) as refusal:
        environment_read(environment)
    message = str(refusal.value)
    named = {line.split()[0].partition("=")[0] for line in message.splitlines()[1:-1]}
    assert named == {
        "DATABASE_URL",
        "METRICS_TOKEN",
        "PROXIES",
        "REDIS_URL",
        "SECRET_KEY",
    }
    assert "hunter2" not in message


def test_an_empty_variable_has_its_default() -> None:
    empty = {variable.name: "" for variable in VARIABLES if not variable.is_required}
    assert environment_read({**REQUIRED, **empty}) == environment_read(REQUIRED)


@pytest.mark.parametrize("variable", VARIABLES, ids=lambda variable: variable.name)
def test_the_example_in_a_message_is_valid(variable: object) -> None:
    assert variable.parse(variable.example) is not None  # type: ignore[attr-defined]


def test_origins_and_hosts_are_compared_as_browsers_send_them() -> None:
    values = environment_read(
        {
            **REQUIRED,
            "CSRF_TRUSTED_ORIGINS": "HTTPS://Campaign.Example.org:443,http://[::1]:8000",
            "ALLOWED_HOSTS": "campaign.example.org.",
        },
    )
    assert values["CSRF_TRUSTED_ORIGINS"] == [
        "https://campaign.example.org",
        "http://[::1]:8000",
    ]
    assert values["ALLOWED_HOSTS"] == ["campaign.example.org"]


PROCESSES = {
    "web": ["-m", "gunicorn", "--config=python:config.gunicorn", "--bind=127.0.0.1:0"],
    "worker": ["-m", "celery", "-A", "config", "--skip-checks", "worker"],
    "beat": ["-m", "celery", "-A", "config", "--skip-checks", "beat", "--pidfile="],
    "migrate": ["manage.py", "migrate"],
    "command": ["manage.py", "add_judge"],
    "launcher": ["-m", "launcher", "start"],
}


@pytest.mark.parametrize("arguments", PROCESSES.values(), ids=PROCESSES)
def test_every_process_ends_with_the_message_alone(arguments: list[str]) -> None:
    wrong = {"HTTPS": "tru", "JUDGE_LINK_DAYS": "abc"}
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"], **REQUIRED, **wrong},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    with pytest.raises(SystemExit) as refusal:
        environment_check(dict(wrong))
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"{refusal.value}\n")


def test_retired_variables_are_ignored_with_a_warning_each() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import config.settings"],
        cwd=CHECKOUT,
        env={
            "PATH": os.environ["PATH"],
            **REQUIRED,
            **dict.fromkeys(RETIRED, "any value"),
        },
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stderr.splitlines() == [
        f"{name} is set, but this version ignores it. Remove it." for name in RETIRED
    ]
