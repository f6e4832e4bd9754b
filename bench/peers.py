"""Our app, Label Studio, doccano and Potato side by side on this machine, driven by the same client. Loopback only.

.venv/bin/python bench/peers.py --install DIR         makes a virtual environment for each in DIR, timed, and ends
.venv/bin/python bench/peers.py --peers DIR --out OUT measures all with 10,000 items, three times, in changing order
.venv/bin/python bench/peers.py --peers DIR --out OUT --large      also pages with 100,000 judged items
.venv/bin/python bench/peers.py --peers DIR --out OUT --quick      300 items, once: to see that everything works
.venv/bin/python bench/peers.py --only ours-sqlite ours-postgres --out OUT     needs no DIR

The packages come from the index that pip is set up for. Telemetry of the others is off. OUT gets peers.json with
every value of every run, written after each, and peers.md with the table of medians that is printed at the end.
A program that fails or lacks something has a cell that says so, and the run goes on.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.side_by_side.adapters import Adapter  # noqa: E402 (the path comes first)
from bench.side_by_side.doccano import Doccano  # noqa: E402
from bench.side_by_side.installing import PROGRAMS, install  # noqa: E402
from bench.side_by_side.label_studio import LabelStudio, LabelStudioOnPostgres  # noqa: E402
from bench.side_by_side.ours import Ours, OursInOneCall, OursOnPostgres  # noqa: E402
from bench.side_by_side.potato import Potato, PotatoWithPage  # noqa: E402
from bench.side_by_side.processes import load_average  # noqa: E402
from bench.side_by_side.running import Size, measure  # noqa: E402
from bench.side_by_side.table import markdown  # noqa: E402
from tests.servers import free_port  # noqa: E402

ADAPTERS: dict[str, type[Adapter]] = {
    "ours-postgres": OursOnPostgres,
    "ours-in-one-call": OursInOneCall,
    "ours-sqlite": Ours,
    "label-studio-postgres": LabelStudioOnPostgres,
    "label-studio-sqlite": LabelStudio,
    "doccano": Doccano,
    "potato": Potato,
    "potato-page": PotatoWithPage,
}
LARGE = 100_000


def main() -> None:
    options = parsed()
    signal.signal(signal.SIGTERM, lambda number, _frame: sys.exit(128 + number))  # so that no server is left behind
    if options.install:
        install(options.install, options.programs)
        return
    if options.out is None:
        sys.exit("Name a folder for the results with --out.")
    options.out.mkdir(parents=True, exist_ok=True)
    results: dict[str, list[dict[str, Any]]] = {ADAPTERS[key].name: [] for key in options.only}
    for repeat in range(options.repeats):
        for key in order(options.only, repeat):
            kind = ADAPTERS[key]
            print(f"{kind.name}, {repeat + 1} of {options.repeats}, load {load_average()}", flush=True)
            cells = measure(kind, size=size_of(options), peers=options.peers, port=free_port(), say=say)
            results[kind.name].append(cells)
            write(options, results)
    print(f"\n{markdown(results, size_of(options).judged)}")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--install", type=Path, metavar="DIR", help="make the virtual environments there, and end")
    parser.add_argument("--programs", nargs="+", choices=list(PROGRAMS), default=list(PROGRAMS), help="to install")
    parser.add_argument("--peers", type=Path, metavar="DIR", help="where the virtual environments are")
    parser.add_argument("--out", type=Path, metavar="OUT", help="folder for peers.json and peers.md")
    parser.add_argument("--only", nargs="+", choices=list(ADAPTERS), default=list(ADAPTERS))
    parser.add_argument("--items", type=int, default=10_000, help="to judge, and judged")
    parser.add_argument("--large", action="store_true", help=f"also the page with {LARGE:,} judged items")
    parser.add_argument("--seconds", type=float, default=20, help="for each number of annotators and overlap")
    parser.add_argument("--most", type=int, default=20_000, help="rounds for each number of annotators and overlap")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="300 items, 3 seconds, once")
    options = parser.parse_args()
    if options.quick:
        options.items, options.seconds, options.repeats = 300, 3, 1
    return options


def size_of(options: argparse.Namespace) -> Size:
    judged = (options.items, LARGE) if options.large else (options.items,)
    return Size(items=options.items, judged=judged, seconds=options.seconds, most=options.most)


def order(keys: list[str], repeat: int) -> list[str]:
    """Forwards and backwards in turn, so that nobody is always first on a rested machine."""
    return list(reversed(keys)) if repeat % 2 else list(keys)


def write(options: argparse.Namespace, results: dict[str, list[dict[str, Any]]]) -> None:
    machine = {"processors": os.cpu_count(), "system": platform.platform(), "python": platform.python_version()}
    chosen = {name: str(value) for name, value in vars(options).items()}
    everything = {"machine": machine, "options": chosen, "results": results}
    (options.out / "peers.json").write_text(json.dumps(everything, indent=1) + "\n")
    (options.out / "peers.md").write_text(markdown(results, size_of(options).judged) + "\n")


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
