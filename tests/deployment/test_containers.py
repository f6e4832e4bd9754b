"""Nobody starts the containers here, so this reads their files and fails when they name what is not in the project."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands
from django.urls import resolve

from annotator.serve import WORKER_OPTIONS
from tests.deployment.containers import (
    COMPOSE,
    SAMPLE,
    apps,
    built,
    command,
    environment,
    filled_in,
    health_check,
    services,
)
from tests.deployment.variables import ROOT, SETTINGS, variables_read

MADE_AT_RUN_TIME = {".env", "var"}
NOT_OURS = {"PATH", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"}  # Python and the shell read these
SECRET = re.compile(r"SECRET|PASSWORD|TOKEN|KEY")
ONCE = "migrate"
SERVICES = sorted(services())
LASTING = [name for name in SERVICES if name != ONCE]
TEXT = COMPOSE.read_text(encoding="utf-8")
EXAMPLE = (ROOT / ".env.example").read_text(encoding="utf-8")
CADDYFILE = re.sub(r"(?m)^\s*#.*$", "", (ROOT / "deploy" / "proxy" / "Caddyfile").read_text(encoding="utf-8"))
PORT = str(variables_read(SETTINGS)["PORT"])


def test_services_are_those_of_the_design() -> None:
    assert set(SERVICES) == {"db", "redis", "migrate", "web", "worker", "proxy"}
    assert set(apps()) == {"migrate", "web", "worker"}


# What goes into the images ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", sorted(built()))
def test_every_copied_path_exists(name: str) -> None:
    dockerfile = built()[name]
    assert [source for source in dockerfile.copied() if not (dockerfile.folder / source).exists()] == []


def test_the_context_holds_what_is_copied_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    rules = [line for line in lines if line and not line.startswith("#")]
    assert rules[0] == "*"
    assert sorted(rule[1:] for rule in rules if rule.startswith("!")) == built()["web"].copied()


def test_every_path_that_the_project_opens_is_copied() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "annotator").glob("*.py")]
    opened = {
        node.right.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp)
        and ast.unparse(node.left).endswith("BASE_DIR")
        and isinstance(node.right, ast.Constant)
    }
    assert {"templates", "static"} <= opened
    assert opened - MADE_AT_RUN_TIME <= set(built()["web"].copied())


def test_what_is_copied_is_enough_to_run(tmp_path: Path) -> None:
    """Only the copied files, in the environment that Compose gives: settings, pages, tasks and static files hold."""
    app = tmp_path / "app"
    app.mkdir()
    for source in built()["web"].copied():
        copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy
        copy(ROOT / source, app / source)
    places = {"VAR_DIR": str(tmp_path / "var"), "PROMETHEUS_MULTIPROC_DIR": str(tmp_path), "PATH": os.environ["PATH"]}
    variables = {**environment("web"), **places}
    for arguments in (
        ["manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        ["manage.py", "collectstatic", "--no-input", "--verbosity", "0"],
        [*command("web")[1:], "--check-config"],
        ["-c", "from annotator.celery import app; app.loader.import_default_modules()"],
    ):
        line = [sys.executable, *arguments]
        done = subprocess.run(line, cwd=app, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


# What runs in them --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", apps())
def test_every_variable_of_our_services_is_one_that_the_project_reads(name: str) -> None:
    read = variables_read(*(ROOT / "annotator").glob("*.py"))
    assert environment(name).keys() - NOT_OURS <= read.keys()


def test_web_and_worker_are_started_as_bin_run_starts_them() -> None:
    assert command("web") == ["python", "-m", "gunicorn", "-c", "python:annotator.gunicorn"]
    assert command("worker") == ["python", "-m", "celery", "-A", "annotator", "worker", *WORKER_OPTIONS]


def test_every_module_and_command_that_is_named_exists() -> None:
    text = "\n".join(line for name in apps() for line in (" ".join(command(name)), health_check(name)))
    modules = re.findall(r"-m (\w+)|-A (\w+)|python:([\w.]+)", text)
    assert [name for names in modules for name in names if name and find_spec(name) is None] == []
    assert {"migrate", "collectstatic"} <= set(re.findall(r"manage\.py (\w+)", text)) <= get_commands().keys()


def test_database_and_static_files_are_made_before_web_and_worker_start() -> None:
    assert re.findall(r"manage\.py (\w+)", " ".join(command(ONCE))) == ["migrate", "collectstatic"]
    for name in ("web", "worker"):
        assert services()[name]["depends_on"][ONCE] == {"condition": "service_completed_successfully"}


def test_the_volume_is_where_the_app_keeps_things() -> None:
    image = built()["web"]
    folder = image.environment()["VAR_DIR"]
    user, group = image.last("USER").split(":")
    assert image.last("VOLUME") == folder
    assert any(f"--owner={user} --group={group} {folder}" in run for run in image.all("RUN"))
    assert {tuple(services()[name]["volumes"]) for name in apps()} == {(f"var:{folder}",)}


# How they run -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", LASTING)
def test_every_service_is_checked_and_started_again(name: str) -> None:
    assert health_check(name)
    assert services()[name]["restart"] == "unless-stopped"


def test_the_one_shot_service_is_neither() -> None:
    assert health_check(ONCE) == ""
    assert services()[ONCE]["restart"] == "no"


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_has_more_rights_than_it_needs(name: str) -> None:
    service = services()[name]
    user = str(service.get("user") or built()[name].last("USER")).split(":")[0]
    assert user not in {"", "0", "root"}
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not service.get("privileged")
    assert not service.get("cap_add")


@pytest.mark.parametrize("name", sorted(built()))
def test_our_images_are_read_only(name: str) -> None:
    service = services()[name]
    assert service["read_only"] is True
    assert service["tmpfs"] == ["/tmp"]  # noqa: S108 (a mount of its own)


def test_every_name_that_services_refer_to_is_defined_and_used() -> None:
    compose = yaml.safe_load(TEXT)
    for name, service in services().items():
        assert service.get("depends_on", {}).keys() <= services().keys() - {name}
    mounted = {mount.split(":")[0] for service in services().values() for mount in service.get("volumes", [])}
    assert mounted == compose["volumes"].keys()
    joined = {network for service in services().values() for network in service["networks"]}
    assert joined == compose["networks"].keys()


def test_a_service_waits_for_health_only_where_health_is_checked() -> None:
    for service in services().values():
        for name, wait in service.get("depends_on", {}).items():
            assert wait["condition"] == ("service_completed_successfully" if name == ONCE else "service_healthy")


def test_addresses_name_services_on_a_shared_network() -> None:
    for name in apps():
        hosts = [re.findall(r"@?(\w+):\d+/", environment(name)[key])[-1] for key in ("DATABASE_URL", "REDIS_URL")]
        assert hosts == ["db", "redis"]
        assert all(set(services()[host]["networks"]) & set(services()[name]["networks"]) for host in hosts)


def test_database_url_agrees_with_the_database() -> None:
    database = environment("db")
    user, password, name = (database[f"POSTGRES_{part}"] for part in ("USER", "PASSWORD", "DB"))
    assert environment("web")["DATABASE_URL"] == f"postgres://{user}:{password}@db:5432/{name}"


# Who can reach them -------------------------------------------------------------------------------------------------
def test_only_the_proxy_is_reachable() -> None:
    assert [name for name, service in services().items() if "ports" in service] == ["proxy"]
    assert all(service.get("network_mode") is None for service in services().values())
    assert yaml.safe_load(TEXT)["networks"]["inside"] == {"internal": True}
    assert services()["db"]["networks"] == services()["redis"]["networks"] == ["inside"]
    assert services()["proxy"]["networks"] == ["outside"]


def test_published_ports_are_those_the_proxy_listens_on() -> None:
    listened = [re.findall(rf"^\s*{option} (\d+)$", CADDYFILE, re.MULTILINE) for option in ("http_port", "https_port")]
    assert services()["proxy"]["ports"] == [f"80:{listened[0][0]}", f"443:{listened[1][0]}"]


def test_proxy_forwards_to_the_port_of_web() -> None:
    assert re.findall(r"reverse_proxy (\S+)", CADDYFILE) == [f"web:{PORT}"]
    assert built()["web"].last("EXPOSE") == PORT
    assert "PORT" not in environment("web")
    assert environment("web")["HOST"] == "0.0.0.0"  # noqa: S104 (inside its container)
    assert set(services()["web"]["networks"]) & set(services()["proxy"]["networks"])


def test_proxy_says_who_asked_and_how_and_is_believed() -> None:
    """Unless told otherwise, Caddy writes X-Forwarded-For and -Proto by itself and drops those of a client."""
    assert not re.search(r"X-Forwarded|trusted_proxies|header_up -|header_up \*", CADDYFILE, re.IGNORECASE)
    assert environment("web")["TRUSTED_PROXIES"] == "1"
    assert "PLAIN_HTTP" not in environment("web")
    assert "DEBUG" not in environment("web")


def test_one_domain_makes_every_address() -> None:
    domain = SAMPLE["DOMAIN"]
    web = environment("web")
    assert web["PUBLIC_URL"] == web["CSRF_TRUSTED_ORIGINS"] == f"https://{domain}"
    assert domain in web["ALLOWED_HOSTS"].split(",")
    assert re.findall(r"\{\$(\w+)\}", CADDYFILE) == list(environment("proxy").keys() & {"DOMAIN"})


def test_health_check_of_web_asks_an_address_that_answers() -> None:
    address = re.search(r"http://([\d.]+):(\d+)(/\w+)", health_check("web"))
    assert address is not None
    host, port, path = address.groups()
    assert port == PORT
    assert host in environment("web")["ALLOWED_HOSTS"].split(",")
    assert resolve(path).view_name == "healthz"


def test_health_check_of_proxy_asks_an_address_that_answers() -> None:
    address = re.search(r"http://[\d.]+(:\d+)(/\w+)", health_check("proxy"))
    assert address is not None
    port, path = address.groups()
    assert re.search(rf"^http://{port} \{{[^}}]*respond {path} ", CADDYFILE, re.MULTILINE)


# What must be set ---------------------------------------------------------------------------------------------------
def test_example_lists_the_variables_that_compose_asks_for() -> None:
    asked = re.findall(r"\$\{(\w+)", TEXT)
    listed = re.findall(r"^(?:# )?([A-Z_]+)=", EXAMPLE, re.MULTILINE)
    assert sorted(listed) == sorted(set(asked))


def test_what_has_no_default_is_demanded_with_a_sentence() -> None:
    asked = set(re.findall(r"\$\{(\w+)", TEXT))
    optional = set(re.findall(r"\$\{(\w+):-", TEXT))
    demanded = set(re.findall(r"\$\{(\w+):\?set \1 in \.env", TEXT))
    assert demanded == asked - optional == set(re.findall(r"^([A-Z_]+)=", EXAMPLE, re.MULTILINE))


def test_no_secret_is_written_down() -> None:
    for service in services().values():
        for key, value in service.get("environment", {}).items():
            assert not SECRET.search(key) or re.fullmatch(r"\$\{.*\}", value), key
            assert not re.search(r"://[^/@$]*:[^/@$]+@", value), key
    assert not [line for line in EXAMPLE.splitlines() if re.match(r"[A-Z_]+=.", line)]
    assert not [key for dockerfile in built().values() for key in dockerfile.environment() if SECRET.search(key)]


def test_defaults_that_compose_repeats_are_those_of_the_settings() -> None:
    defaults = variables_read(SETTINGS)
    for key in ("WEB_PROCESSES", "WORKER_PROCESSES", "LOG_LEVEL", "METRICS_TOKEN", "EMAIL_URL"):
        assert filled_in(services()["web"]["environment"][key]) == str(defaults[key])
