"""Code, compose file, Helm chart and handbook know the same settings."""

import json
import re

import pytest
import yaml

from environment import SECRETS, VARIABLES
from launcher.data_directory import CHECKOUT
from tests.containers import WORKERS

DOCUMENTED = {variable.name for variable in VARIABLES if not variable.is_internal}
#: Passwords, which become parts of the addresses of databases.
PASSWORDS = {"DATABASE_PASSWORD", "MIGRATION_DATABASE_PASSWORD"}
HANDBOOK = (CHECKOUT / "docs" / "operators.md").read_text()
COMPOSE_FILE = (CHECKOUT / "docker-compose.yml").read_text()
COMPOSE = yaml.safe_load(COMPOSE_FILE)
SCHEMA = json.loads(
    (CHECKOUT / "deploy" / "helm" / "quintet" / "values.schema.json").read_text(),
)
HELPERS = (
    CHECKOUT / "deploy" / "helm" / "quintet" / "templates" / "_helpers.tpl"
).read_text()

#: Set by the image and the compose file.
OF_IMAGE = {"STATIC_ROOT", "NUMBA_CACHE_DIR", "BEAT_ALIVE"}
#: Of the single worker of `make start`; compose and chart have options for their workers.
OF_ONE_WORKER = {"CELERY_WORKER_POOL", "CELERY_WORKER_CONCURRENCY"}
#: Values of the chart with names of their own, and the secrets that it requires.
OF_CHART = {"URL_PREFIX", "HTTPS", "PROXIES", "WEB_CONCURRENCY"}
REQUIRED_SECRETS = {"SECRET_KEY", "DATABASE_URL", "REDIS_URL", "MIGRATION_DATABASE_URL"}


def handbook_rows() -> list[list[str]]:
    """Return the cells of the table of variables."""
    table = HANDBOOK.partition("## Environment")[2].partition("\n## ")[0]
    rows = [
        line.strip("| ").split(" | ")
        for line in table.splitlines()
        if line.startswith("| `")
    ]
    return [row for row in rows if not row[0].startswith("`…")]


def test_the_handbook_describes_every_setting() -> None:
    described = [
        name for row in handbook_rows() for name in re.findall(r"`(\w+)`", row[0])
    ]
    assert sorted(described) == sorted(DOCUMENTED | PASSWORDS)


def test_the_handbook_states_the_defaults_of_the_code() -> None:
    defaults = {variable.name: variable.default for variable in VARIABLES}
    compared = 0
    for row in handbook_rows():
        names = re.findall(r"`(\w+)`", row[0])
        stated = re.findall(r"`([^`]*)`", row[-1])
        is_plain = ", ".join(f"`{value}`" for value in stated) == row[-1]
        if (
            not is_plain
            or names == ["PUBLIC_ADDRESS"]
            or names == ["MIGRATION_DATABASE_URL"]
        ):
            continue
        assert stated == [defaults[name] for name in names]
        compared += len(names)
    assert compared >= 20


def test_the_handbook_lists_every_secret_that_may_be_a_file() -> None:
    [row] = [line for line in HANDBOOK.splitlines() if line.startswith("| `…_FILE`")]
    assert set(re.findall(r"`([A-Z_]+)`", row)) == set(SECRETS)


def test_every_secret_setting_may_be_a_file() -> None:
    assert {variable.name for variable in VARIABLES if variable.is_secret} == set(
        SECRETS,
    ) - PASSWORDS


def test_compose_passes_every_setting_and_changes_no_default_unknowingly() -> None:
    environment = COMPOSE["services"]["web"]["environment"]
    passed = {name.removesuffix("_FILE") for name in environment}
    assert passed - PASSWORDS == DOCUMENTED - OF_IMAGE - OF_ONE_WORKER - {
        "MIGRATION_DATABASE_URL",
    }
    settable = {
        name: match[1]
        for name, value in environment.items()
        if (match := re.fullmatch(rf"\$\{{{name}:-([^}}]*)\}}", value))
    }
    fixed = {"SECRET_KEY", "METRICS_TOKEN", "DATABASE_URL", "REDIS_URL"}
    fixed |= {"EXPORT_STORAGE_OPTIONS", "MEDIA_STORAGE"}
    assert passed - PASSWORDS - fixed == settable.keys()
    # An empty variable has the default of the code.
    others = {name: default for name, default in settable.items() if default}
    assert others == {
        "ALLOWED_HOSTS": "127.0.0.1,localhost,web",
        "LOG_FORMAT": "json",
        "WEB_CONCURRENCY": "2",
    }


def test_the_chart_can_set_every_setting() -> None:
    refused = set(SCHEMA["properties"]["settings"]["propertyNames"]["not"]["enum"])
    optional = SCHEMA["properties"]["optionalSecrets"]["items"]["enum"]
    optional_secrets = {name.upper().replace("-", "_") for name in optional}
    assert optional_secrets | REQUIRED_SECRETS == set(SECRETS) - PASSWORDS
    assert (
        refused
        == OF_IMAGE | OF_ONE_WORKER | OF_CHART | REQUIRED_SECRETS | optional_secrets
    )
    # Of the others, the template names only those whose defaults differ.
    named = set(re.findall(r"[A-Z]+_?[A-Z_]+", HELPERS)) & DOCUMENTED
    defaults = {"ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "PUBLIC_ADDRESS", "LOG_FORMAT"}
    assert named - refused == defaults


def test_compose_and_chart_have_the_same_workers() -> None:
    values = yaml.safe_load(
        (CHECKOUT / "deploy" / "helm" / "quintet" / "values.yaml").read_text(),
    )
    chart = {
        f"worker-{name}": worker["queues"] for name, worker in values["workers"].items()
    }
    assert chart == WORKERS


@pytest.mark.parametrize("page", ["docs/monitoring.md", "docs/scale.md", "docs/operators.md", "deploy/prometheus/alerts.yml"])  # fmt: skip
def test_advice_names_only_settings_that_exist(page: str) -> None:
    named = set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", (CHECKOUT / page).read_text()))
    of_compose = set(re.findall(r"\$\{([A-Z_]+):-", COMPOSE_FILE))
    files = {f"{name}_FILE" for name in SECRETS}
    unknown = named - DOCUMENTED - PASSWORDS - of_compose - files
    of_libraries = {"OMP_NUM_THREADS", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"}
    assert unknown <= of_libraries | {"DASK_SCHEDULER_ADDRESS", "QUINTET_HOME"}
