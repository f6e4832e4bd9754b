"""A screenshot with at most 256 colours, which is a third of its size and looks the same."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page

MOST_COLOURS = 256
READ_PIXELS = """async (png) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let text = "";
  for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
  return [image.width, btoa(text)];
}"""


def shrunk(png: bytes, *, blank: Page) -> bytes:
    """The same picture; a blank page of the browser reads its pixels."""
    width, pixels = blank.evaluate(READ_PIXELS, base64.b64encode(png).decode())
    colours = np.frombuffer(base64.b64decode(pixels), dtype=np.uint8).reshape(-1, width, 4)[:, :, :3]
    palette, places = indexed(colours)
    rows = np.pad(places.reshape(colours.shape[:2]), ((0, 0), (1, 0)))  # each row begins with its filter, which is none
    header = struct.pack(">IIBBBBB", width, len(colours), 8, 3, 0, 0, 0)
    parts = [
        (b"IHDR", header),
        (b"PLTE", palette.tobytes()),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(name, data) for name, data in parts)


def indexed(colours: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The most frequent colours, and for each pixel the number of the nearest of them."""
    found, inverse, counts = np.unique(colours.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    palette = found[np.sort(np.argsort(-counts, kind="stable")[:MOST_COLOURS])]
    apart = found[:, None, :].astype(np.int64) - palette[None, :, :]
    nearest = (apart**2).sum(axis=2).argmin(axis=1).astype(np.uint8)
    return palette, nearest[inverse.reshape(-1)]


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
