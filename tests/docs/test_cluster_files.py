"""The files that start clusters: their form, and ports, versions and commands as in the page and the code."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import typer

yaml = pytest.importorskip("yaml", reason="the extra [docs] is not installed")

from speicher_apps.cli.app import app  # noqa: E402
from speicher_env import __version__  # noqa: E402

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
PAGE = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
SHELL = ("start-node.sh", "slurm.sbatch")


def text(name: str) -> str:
    return (DEPLOY / name).read_text(encoding="utf-8")


def manifests() -> dict[str, Any]:
    return {manifest["kind"]: manifest for manifest in yaml.safe_load_all(text("kuberay.yaml"))}


def test_the_page_names_every_file() -> None:
    assert {path.name for path in DEPLOY.iterdir()} == set(re.findall(r"`deploy/([\w.-]+)`", PAGE))


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize("name", SHELL)
def test_scripts_are_valid_and_stop_at_the_first_error(name: str) -> None:
    subprocess.run(["bash", "-n", DEPLOY / name], check=True)
    assert "\nset -euo pipefail\n" in text(name)


def test_a_node_without_addresses_shows_how_it_is_used() -> None:
    ended = subprocess.run(["bash", DEPLOY / "start-node.sh"], capture_output=True, text=True, check=False)
    assert ended.returncode == 2 and "deploy/start-node.sh HEAD_ADDRESS ADDRESS" in ended.stderr
    assert "set -e" not in ended.stderr


def test_ports_are_those_of_the_page() -> None:
    ports = {
        int(port)
        for port in re.findall(r"^ {4}--[a-z-]+-port (\d+)$|--port (\d+)", text("start-node.sh"), re.M)
        for port in port
        if port
    }
    rows = re.findall(r"^\| ([\d, –]+) \|", PAGE, re.M)
    assert ports == {int(port) for row in rows for port in re.findall(r"\d+", row)}
    assert ":6379" in text("start-node.sh") and ":6379" in text("slurm.sbatch")
    (head,) = manifests()["RayCluster"]["spec"]["headGroupSpec"]["template"]["spec"]["containers"]
    assert {port["name"]: port["containerPort"] for port in head["ports"]} == {"gcs": 6379, "dashboard": 8265}
    assert "8265" in PAGE


def test_every_file_asks_for_a_token() -> None:
    assert all("export RAY_AUTH_MODE=token" in text(name) for name in SHELL)
    assert manifests()["RayCluster"]["spec"]["authOptions"] == {"mode": "token"}


def test_the_cluster_has_the_fields_of_its_kind() -> None:
    cluster, storage = manifests()["RayCluster"], manifests()["PersistentVolumeClaim"]
    assert cluster["apiVersion"] == "ray.io/v1"
    spec = cluster["spec"]
    assert set(spec) == {
        "rayVersion", "authOptions", "enableInTreeAutoscaling", "autoscalerOptions", "headGroupSpec", "workerGroupSpecs"
    }  # fmt: skip
    assert spec["enableInTreeAutoscaling"] is True
    (workers,) = spec["workerGroupSpecs"]
    assert set(workers) == {"groupName", "replicas", "minReplicas", "maxReplicas", "rayStartParams", "template"}
    assert workers["minReplicas"] <= workers["replicas"] <= workers["maxReplicas"]
    assert f"grows to {workers['maxReplicas']} workers" in PAGE
    assert spec["headGroupSpec"]["rayStartParams"] == {"num-cpus": "0"}, (
        "values are texts; the head carries out no trials"
    )
    assert spec["autoscalerOptions"]["idleTimeoutSeconds"] == 300
    assert "shrinks to none five minutes" in " ".join(PAGE.split())
    for group in (spec["headGroupSpec"], workers):
        pod = group["template"]["spec"]
        (container,) = pod["containers"]
        assert container["resources"]["requests"] == container["resources"]["limits"]
        claims = {volume["name"]: volume["persistentVolumeClaim"]["claimName"] for volume in pod["volumes"]}
        assert [claims[mount["name"]] for mount in container["volumeMounts"]] == [storage["metadata"]["name"]]
        assert f"`{container['image']}`" in PAGE and container["image"] in text("Dockerfile")
    assert storage["spec"]["accessModes"] == ["ReadWriteMany"]


def test_versions_are_those_of_the_constraints() -> None:
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.M))
    assert manifests()["RayCluster"]["spec"]["rayVersion"] == pinned["ray"]
    assert f"Ray {pinned['ray'].rpartition('.')[0]} asks for a token" in PAGE
    assert f"speicher:{__version__}" in text("Dockerfile")
    oldest = re.search(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert oldest is not None and f"FROM python:{oldest[1]}-slim" in text("Dockerfile")


def test_the_image_copies_what_the_package_is_built_from() -> None:
    copied = {name for line in re.findall(r"^COPY (.*)$", text("Dockerfile"), re.M) for name in line.split()[:-1]}
    assert all((ROOT / name).exists() for name in copied)
    assert {
        "pyproject.toml",
        "constraints.txt",
        "README.md",
        "LICENSE",
        "speicher_env",
        "agents",
        "training",
        "apps",
    } == copied


def commands() -> list[str]:
    """Every command of this package in the page and in the files."""
    sources = (PAGE, *(path.read_text(encoding="utf-8") for path in DEPLOY.iterdir()))
    found = [
        line.group(1)
        for source in sources
        for line in re.finditer(
            r"(?:^|[ #=]|RUN )(speicher (?:sweep|arena|train|compile|solve)\b[^#`\n]*)", source, re.M
        )
    ]
    assert len(found) >= 6
    return sorted(set(found))


@pytest.mark.parametrize("command", commands())
def test_commands_and_their_options_exist(command: str) -> None:
    _, name, *arguments = shlex.split(command)
    group: Any = typer.main.get_command(app)
    known = {option for parameter in group.commands[name].params for option in parameter.opts}
    assert {argument for argument in arguments if argument.startswith("-")} <= known
