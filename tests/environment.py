"""Loaded before anything else by pytest (`-p tests.environment`): gives each test process a place of its own."""

import atexit
import os
import shutil
import tempfile
from contextlib import ExitStack

from tests.servers import redis_server


def own_redis_url() -> str:
    """A database of its own on the Redis that TEST_REDIS_URL names, else a Redis of its own."""
    number = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    if named := os.environ.get("TEST_REDIS_URL"):
        return f"{named.rstrip('/')}/{number + 1}"
    stack = ExitStack()
    server = stack.enter_context(redis_server())
    atexit.register(stack.close)
    return server.url


var = tempfile.mkdtemp(prefix="annotator-test-")
atexit.register(shutil.rmtree, var, ignore_errors=True)
os.environ.update(
    VAR_DIR=var,
    SECRET_KEY="only-for-tests-" + "x" * 40,
    PLAIN_HTTP="1",
    DEBUG="0",
    DATABASE_URL=os.environ.get("DATABASE_URL", ""),
    REDIS_URL=own_redis_url(),
    PROMETHEUS_MULTIPROC_DIR=f"{var}/metrics",
    METRICS_TOKEN="metrics-token-for-tests",
    EMAIL_URL="",
    DEMO_PASSWORD="",
    LOG_LEVEL="INFO",
    # Playwright's synchronous interface runs an event loop in the thread of the test, which also uses the database.
    DJANGO_ALLOW_ASYNC_UNSAFE="true",
)
