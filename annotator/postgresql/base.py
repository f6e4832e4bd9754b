"""Django asks `SELECT 1` at the start of every request. A server that is gone has closed its end, which the socket
tells without a journey: there is something to read although nothing was asked."""

from __future__ import annotations

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    def is_usable(self) -> bool:
        if self.connection is None or self.connection.closed:
            return False
        waiting = select.poll()
        waiting.register(self.connection.fileno(), select.POLLIN)
        return not waiting.poll(0) or bool(super().is_usable())
