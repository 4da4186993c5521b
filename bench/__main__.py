"""`python -m bench [--json FILE]`: start a local Telegram server and the bridge, measure, print the table."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from pathlib import Path

from bench import exports
from bench.load import LoadFailed
from bench.measure import Measurement
from bench.table import formatted
from demo.processes import ChildFailed
from demo.product import free_port, running

CHANNELS = 50
MESSAGES = 150
# Telegram's pace limits are for Telegram's sake; a local server needs none.
SETTINGS = {"TG_RPC_MIN_INTERVAL_MS": "0"}


async def measure(folder: Path, seconds: int) -> Measurement:
    """All rows of the table, measured with data below `folder`; each load lasts `seconds`."""
    folders = await asyncio.to_thread(exports.write_exports, folder / "exports", channels=CHANNELS, messages=MESSAGES)
    data = folder / "bridge"
    async with running(folders, data, free_port(), SETTINGS) as product:
        measurement = Measurement(product, data, seconds)
        await measurement.run()
    return measurement


def main() -> int:
    """Measure and print; the exit code is 0 even if targets are missed, since this is no test."""
    parser = argparse.ArgumentParser(prog="./run.sh bench", description="Measure the bridge.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there as JSON, too")
    parser.add_argument("--seconds", type=int, default=5, help="how long each load lasts (default: 5)")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="bridge-bench-") as folder:
            rows = asyncio.run(measure(Path(folder), options.seconds)).rows
    except (ChildFailed, LoadFailed, TimeoutError) as failure:
        print(f"The benchmark failed: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(formatted(rows))
    if options.json:
        options.json.write_text(json.dumps([row.as_json() for row in rows], indent=2) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
