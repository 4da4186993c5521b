"""The container image, as far as it can be tested without a container: what it holds and what it runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")


def test_the_copied_files_are_all_that_the_service_and_its_login_import(tmp_path: Path) -> None:
    sources = re.findall(r"^COPY (?:--chown=\S+ )?(\S+) \S+$", DOCKERFILE, re.MULTILINE)
    kept = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()}
    for source in sources:
        assert source in kept
        for path in ROOT.glob(source):
            if path.is_dir():
                shutil.copytree(path, tmp_path / path.name)
            else:
                shutil.copy(path, tmp_path)
    modules = "api_server, telegram.account, telegram.login, telegram.login_flow, telegram.login_terminal"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", f"import {modules}"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_image_runs_unprivileged_with_its_data_in_the_volume() -> None:
    assert re.search(r"^USER bridge$", DOCKERFILE, re.MULTILINE)
    assert re.search(r"^VOLUME /data$", DOCKERFILE, re.MULTILINE)
    assert "DATA_PATH=/data SESSION_PATH=/data" in DOCKERFILE


def test_image_and_compose_file_check_ping() -> None:
    (check,) = re.findall(r"^ +CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert "/ping" in json.loads(check)[-1]
    assert "/ping" in (ROOT / "docker-compose.yml").read_text("utf-8")


@pytest.mark.parametrize(("answer", "code"), [(200, 0), (503, 1)])
def test_the_health_check_of_the_image_asks_no_proxy(answer: int, code: int) -> None:
    """Docker hands the proxies of its own configuration to containers."""

    class Service(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(answer if self.path == "/ping" else 404)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    (check,) = re.findall(r"^ +CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    command = [sys.executable, *json.loads(check)[1:]]
    with HTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        environment = {"http_proxy": "http://127.0.0.1:9", "API_PORT": str(server.server_port)}
        done = subprocess.run(command, env=environment, capture_output=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr
