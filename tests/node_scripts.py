"""Readers and judges that are written in JavaScript, as scripts in `tests/node`."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "node"
# What a busy machine may take for a second's work.
PATIENCE_S = 120


def run(script: str, *arguments: str, given: str = "") -> Any:
    """What the script writes as JSON, given the arguments and a text on its standard input. Blocks meanwhile."""
    node = shutil.which("node")
    assert node is not None and (FOLDER / "node_modules").is_dir(), "Node packages are missing; ./run.sh test gets them"
    done = subprocess.run(
        [node, FOLDER / script, *arguments],
        input=given,
        # Loopback is never reached through proxies.
        env=os.environ | {"NO_PROXY": "*", "no_proxy": "*"},
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
