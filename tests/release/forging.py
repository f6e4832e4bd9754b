"""Releases that somebody changed, with the manifest mended so that only a reader of the contents can tell."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile


def forged(archive: Path, folder: Path, name: str, change: Callable[[str], str]) -> Path:
    with ZipFile(archive) as source:
        files = {inner: source.read(inner) for inner in source.namelist()}
    files[name] = change(files[name].decode()).encode()
    manifest = json.loads(files["manifest.json"])
    for entry in manifest["files"]:
        data = files[entry["path"]]
        entry |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    files["manifest.json"] = json.dumps(manifest).encode()
    with ZipFile(folder / "forged.zip", "w") as target:
        for inner, data in files.items():
            target.writestr(inner, data)
    return folder / "forged.zip"
