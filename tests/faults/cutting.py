"""A proxy that cuts connections in mid-request or mid-answer, when it is told to."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from random import Random
from urllib.parse import urlsplit

CHUNK = 1 << 16


class CuttingProxy:
    """Passes bytes on between callers and a server; while `cutting`, now and then half a chunk and then nothing."""

    def __init__(self, url: str, *, seed: int, share: float = 0.2) -> None:
        self.place = urlsplit(url)
        self.rng, self.share = Random(seed), share  # noqa: S311 (a design)
        self.cutting, self.cuts = False, 0
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()  # the thread of the tests may have a loop of its own: a browser's
        serving = asyncio.start_server(self.pass_on, "127.0.0.1", 0)
        self.server = asyncio.run_coroutine_threadsafe(serving, self.loop).result()
        self.url = f"http://127.0.0.1:{self.server.sockets[0].getsockname()[1]}"

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection(self.place.hostname, self.place.port)
        except OSError:
            writer.transport.abort()
            return
        ends = [writer, far_writer]
        with suppress(asyncio.CancelledError):  # we are being closed
            await asyncio.gather(self.pump(reader, far_writer, ends), self.pump(far_reader, writer, ends))

    async def pump(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, ends: list[asyncio.StreamWriter]
    ) -> None:
        try:
            while data := await source.read(CHUNK):
                if self.cutting and self.rng.random() < self.share:
                    self.cuts += 1
                    target.write(data[: self.rng.randrange(len(data))])
                    await target.drain()
                    break
                target.write(data)
                await target.drain()
        except OSError:
            pass  # the other direction was cut, or an end went away
        for end in ends:
            end.close()

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.stop)
        self.thread.join()
        self.loop.close()

    def stop(self) -> None:
        self.server.close()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.call_later(0.1, self.loop.stop)
