"""The Helm chart, rendered by Helm's own engine: Kubernetes takes it, and no container may do more than it needs."""

import sys
from collections.abc import Iterator
from typing import Any

import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml

from config.queues import QUEUES
from environment import SECRETS
from launcher.data_directory import CHECKOUT

if sys.platform != "linux":
    pytest.skip("Helm's engine is installed on Linux alone", allow_module_level=True)
helm_python = pytest.importorskip("helm_python")

CHART = CHECKOUT / "deploy" / "helm" / "quintet"
VALUES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "below a path": {
        "urlPrefix": "/quintet",
        "proxies": 2,
        "settings": {"TIME_ZONE": "Europe/Prague"},
    },
    "with everything": {
        "optionalSecrets": [
            "email-url",
            "oidc-client-secret",
            "metrics-token",
            "sentry-dsn",
            "export-storage-options",
        ],
        "image": {"digest": "sha256:" + "0" * 64},
        "imagePullSecrets": [{"name": "pull"}],
        "ingress": {"className": "nginx", "annotations": {"a/b": "c"}},
    },
    "with little": {
        "ingress": {"enabled": False},
        "podDisruptionBudget": {"enabled": False},
    },
}
Manifest = dict[str, Any]


def manifests(values: dict[str, Any]) -> list[Manifest]:
    """What Kubernetes is told."""
    chart = helm_python.Chart.load(str(CHART))
    rendered = chart.render(values, name="quintet", namespace="campaigns")
    return [
        each for text in rendered.values() for each in yaml.safe_load_all(text) if each
    ]


def pods(values: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name and the description of each pod."""
    for manifest in manifests(values):
        if manifest["kind"] in ("Deployment", "Job"):
            yield manifest["metadata"]["name"], manifest["spec"]["template"]["spec"]


def test_helm_has_nothing_against_it() -> None:
    report = helm_python.lint(str(CHART), strict=True)
    assert report["errors"] == []
    assert [each for each in report["messages"] if each["severity"] > 1] == []


@pytest.mark.parametrize("version", ["1.27", "1.37"])
@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_kubernetes_knows_every_field(values: dict[str, Any], version: str) -> None:
    found = manifests(values)
    assert len(found) >= 6
    for manifest in found:
        kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_no_container_may_do_more_than_it_needs(values: dict[str, Any]) -> None:
    for name, pod in pods(values):
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"] is True
            assert security["allowPrivilegeEscalation"] is False
            assert security["capabilities"] == {"drop": ["ALL"]}
            assert container["resources"]["requests"].keys() == {"cpu", "memory"}
            assert "memory" in container["resources"]["limits"]


@pytest.mark.parametrize("values", VALUES.values(), ids=VALUES)
def test_secrets_are_files_that_are_there(values: dict[str, Any]) -> None:
    for name, pod in pods(values):
        files = {
            f"{mount['mountPath']}/{item['path']}"
            for mount in pod["containers"][0]["volumeMounts"]
            for volume in pod["volumes"]
            if volume["name"] == mount["name"] and "secret" in volume
            for item in volume["secret"]["items"]
        }
        told = {each["name"]: each["value"] for each in pod["containers"][0]["env"]}
        named = {
            value for variable, value in told.items() if variable.endswith("_FILE")
        }
        assert named == files, name
        assert {
            each.removesuffix("_FILE") for each in told if each.endswith("_FILE")
        } <= set(SECRETS)
        assert not set(SECRETS) & told.keys()


def test_the_owner_of_the_tables_is_known_to_migrations_alone() -> None:
    told = {name for name, pod in pods({}) if "migration-database-url" in str(pod)}
    assert told == {"quintet-migrate"}


def test_workers_serve_every_queue_once() -> None:
    served = [
        queue
        for _name, pod in pods({})
        for option in pod["containers"][0]["args"]
        if option.startswith("--queues=")
        for queue in option.removeprefix("--queues=").split(",")
    ]
    assert sorted(served) == sorted(QUEUES)


def test_all_but_what_ends_say_whether_they_are_well() -> None:
    asked = {name for name, pod in pods({}) if "livenessProbe" in pod["containers"][0]}
    assert {name for name, _pod in pods({})} - asked == {"quintet-migrate"}


def test_path_is_set_for_ingress_and_application() -> None:
    found = manifests(VALUES["below a path"])
    [ingress] = [each for each in found if each["kind"] == "Ingress"]
    assert ingress["spec"]["rules"][0]["http"]["paths"][0]["path"] == "/quintet"
    for _name, pod in pods(VALUES["below a path"]):
        told = {each["name"]: each["value"] for each in pod["containers"][0]["env"]}
        assert told["URL_PREFIX"] == "/quintet"
        assert told["PUBLIC_ADDRESS"] == "https://campaign.example.org/quintet"
        assert told["TIME_ZONE"] == "Europe/Prague"


@pytest.mark.parametrize("values", [{"urlPrefix": "quintet/"}, {"existingSecret": ""}, {"optionalSecrets": ["secret-of-mine"]}, {"proxies": 0}])  # fmt: skip
def test_values_that_make_no_sense_are_refused(values: dict[str, Any]) -> None:
    chart = helm_python.Chart.load(str(CHART))
    with pytest.raises(helm_python.HelmError):
        chart.validate_schema(chart.merge_values(values))
