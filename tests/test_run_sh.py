"""`run.sh` in a checkout of its own, with a product that only tells how it was called."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 120
PRODUCT = "import os, sys\nprint(os.getcwd(), *sys.argv[1:])\n"
# Nobody in particular: what root may do says nothing about what users may.
NOBODY = 65534


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout without a .venv whose packages need no network, since there are none."""
    folder = tmp_path / "the checkout"
    (folder / "demo").mkdir(parents=True)
    (folder / "demo" / "__main__.py").write_text(PRODUCT)
    for name in ("requirements.txt", "requirements-dev.txt"):
        (folder / name).write_text("# nothing\n")
    shutil.copy(ROOT / "run.sh", folder)
    return folder


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole virtual environment, made once since that takes seconds."""
    folder = tmp_path_factory.mktemp("ready") / ".venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=PATIENCE_S)
    return folder


@pytest.fixture
def installed(checkout: Path, ready: Path) -> Path:
    """The checkout with a whole .venv."""
    shutil.copytree(ready, checkout / ".venv", symlinks=True)
    return checkout


def run(script: Path | str, *arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Call the script."""
    return subprocess.run(
        ["bash", script, *arguments],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def runs(checkout: Path, cwd: Path) -> None:
    """Check that the demo of the checkout is called where the caller stands."""
    done = run(checkout / "run.sh", "demo", "a b", cwd=cwd)
    assert (done.returncode, done.stdout) == (0, f"{cwd} a b\n"), done.stderr


def test_the_environment_is_made_once_and_again_when_its_python_is_gone(checkout: Path, tmp_path: Path) -> None:
    runs(checkout, tmp_path)
    again = run(checkout / "run.sh", "demo", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")
    for python in (checkout / ".venv" / "bin").glob("python*"):
        python.unlink()
        python.symlink_to("/nowhere/python3")
    runs(checkout, tmp_path)


def test_an_environment_without_pip_is_made_anew(checkout: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", checkout / ".venv"], check=True, timeout=PATIENCE_S)
    runs(checkout, tmp_path)


def test_an_interrupted_setup_leaves_nothing_half_made(checkout: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        ["bash", checkout / "run.sh", "demo"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + PATIENCE_S
        while not (checkout / ".venv" / "bin" / "python").exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        # As a terminal does at Ctrl-C: to the whole group.
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(PATIENCE_S) != 0
    assert not (checkout / ".venv").exists()


def test_the_script_is_found_through_links(installed: Path, tmp_path: Path) -> None:
    places = tmp_path / "bin"
    places.mkdir()
    (places / "first").symlink_to("../the checkout/run.sh")
    (places / "second").symlink_to(places / "first")
    done = run("bin/second", "demo", "x", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, f"{tmp_path} x\n"), done.stderr


def test_help_is_printed_from_wherever_one_stands(checkout: Path, tmp_path: Path) -> None:
    for script in ("the checkout/run.sh", str(checkout / "run.sh")):
        done = run(script, cwd=tmp_path, CDPATH="/usr")
        assert done.returncode == 0
        assert {line.split()[0] for line in done.stderr.splitlines()[1:]} == {
            *("demo", "login", "serve", "test", "check", "bench", "clean")
        }


def test_files_where_the_caller_stands_are_no_modules(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "demo.py").write_text("raise SystemExit('imported')\n")
    runs(installed, tmp_path)


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that every user of the machine may enter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.mark.parametrize("setup", ["none", "of somebody else"])
def test_a_checkout_that_cannot_be_written_is_one_line_that_says_so(
    checkout: Path, public_folder: Path, setup: str
) -> None:
    folder = public_folder / "checkout"
    shutil.copytree(checkout, folder)
    unwritable = folder
    if setup != "none":
        unwritable = folder / ".venv"
        unwritable.mkdir()
    unwritable.chmod(0o555)
    try:
        done = subprocess.run(
            ["bash", folder / "run.sh", "demo"],
            cwd="/",
            user=NOBODY if os.getuid() == 0 else None,
            group=NOBODY if os.getuid() == 0 else None,
            extra_groups=[] if os.getuid() == 0 else None,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    finally:
        unwritable.chmod(0o755)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert f"{unwritable} can't be written" in line


@pytest.fixture
def bare_machine(tmp_path: Path) -> Path:
    """A PATH of a small Debian: no browser, no reader; `apt-get` and `sudo` note how they were called."""
    folder = tmp_path / "bare"
    folder.mkdir()
    for command in ("bash", "basename", "dirname", "readlink", "cat", "cksum", "env"):
        path = shutil.which(command)
        assert path is not None
        (folder / command).symlink_to(path)
    scripts = {
        "apt-get": f'#!{folder}/bash\nprintf "%s " "${{DEBIAN_FRONTEND-}}" apt-get "$@" >>"{folder}/calls"\n',
        "sudo": f'#!{folder}/bash\nprintf "sudo " >>"{folder}/calls"\nunset DEBIAN_FRONTEND\n"$@"\n',
    }
    for name, text in scripts.items():
        (folder / name).write_text(text)
        (folder / name).chmod(stat.S_IRWXU)
    return folder


def user(machine: Path, number: int) -> None:
    """Let `id -u` say so on the machine."""
    (machine / "id").write_text(f"#!{machine}/bash\necho {number}\n")
    (machine / "id").chmod(stat.S_IRWXU)


@pytest.mark.parametrize(
    ("command", "packages"),
    [("test", "newsboat chromium libxml2-utils gpodder"), ("bench", "wrk")],
)
@pytest.mark.parametrize(("number", "through"), [(0, ""), (1000, "sudo ")])
def test_missing_tools_come_from_apt(
    installed: Path, bare_machine: Path, command: str, packages: str, number: int, through: str
) -> None:
    user(bare_machine, number)
    run(installed / "run.sh", command, cwd=installed, PATH=str(bare_machine), DEBIAN_FRONTEND="")
    calls = (bare_machine / "calls").read_text()
    assert calls == f"{through} apt-get update -qq {through}noninteractive apt-get install -y -qq {packages} "


def test_missing_tools_without_the_right_to_install_are_one_line(installed: Path, bare_machine: Path) -> None:
    user(bare_machine, 1000)
    (bare_machine / "sudo").unlink()
    done = run(installed / "run.sh", "test", cwd=installed, PATH=str(bare_machine))
    assert done.returncode == 1
    assert done.stderr == "Please install, as root: apt-get install newsboat chromium libxml2-utils gpodder\n"


@pytest.fixture
def node_machine(bare_machine: Path) -> Path:
    """The machine with all tools that tests need; `npm` notes how it was called, and makes its folder or fails."""
    scripts = dict.fromkeys(("newsboat", "chromium", "xmllint", "gpo"), "")
    scripts["node"] = """
version=$(cat "${0%/*}/node-version")
case $1 in --version) echo "v$version" ;; *) [ "$version" -ge 20 ] ;; esac"""
    scripts["npm"] = """
printf '%s: %s\\n' "${PWD##*/}" "$*" >>"${0%/*}/calls"
[ ! -e "${0%/*}/no-network" ] || { echo "no network" >&2; exit 1; }
"${0%/*}/mkdir" -p node_modules"""
    for name, text in scripts.items():
        (bare_machine / name).write_text(f"#!{bare_machine}/bash\n{text}\n")
        (bare_machine / name).chmod(stat.S_IRWXU)
    (bare_machine / "mkdir").symlink_to(shutil.which("mkdir") or "")
    (bare_machine / "node-version").write_text("20")
    return bare_machine


def test_the_tests_node_packages_are_installed_once_for_each_list_and_node(installed: Path, node_machine: Path) -> None:
    folder = installed / "tests" / "node"
    folder.mkdir(parents=True)
    calls = node_machine / "calls"
    expected = ""
    for lock, node in (("first", "20"), ("second", "20"), ("second", "22")):
        (folder / "package-lock.json").write_text(lock)
        (node_machine / "node-version").write_text(node)
        (node_machine / "no-network").touch()
        failed = run(installed / "run.sh", "test", cwd=installed, PATH=str(node_machine))
        assert (failed.returncode, failed.stderr.splitlines()[-2]) == (1, "no network")
        assert f"Could not install the packages of {folder}" in failed.stderr.splitlines()[-1]
        (node_machine / "no-network").unlink()
        for _ in range(2):
            run(installed / "run.sh", "test", cwd=installed, PATH=str(node_machine))
        expected += "node: ci --silent --ignore-scripts --no-audit --no-fund\n" * 2
        assert calls.read_text() == expected


def test_where_node_is_old_or_missing_the_tests_have_one_of_their_own(installed: Path, node_machine: Path) -> None:
    folder = installed / "tests" / "node"
    folder.mkdir(parents=True)
    (folder / "package-lock.json").write_text("some")
    (installed / "requirements-node.txt").write_text("# nothing\n")
    own = installed / ".venv" / "bin"
    for name in ("node", "npm", "mkdir"):
        shutil.copy(node_machine / name, own)
    (own / "node-version").write_text("22")
    (node_machine / "node-version").write_text("18")

    def installations() -> int:
        run(installed / "run.sh", "test", cwd=installed, PATH=str(node_machine))
        return (own / "calls").read_text().count("node: ci ")

    assert [installations(), installations()] == [1, 1]
    (node_machine / "node").unlink()
    (folder / "package-lock.json").write_text("another")
    assert installations() == 2
    assert not (node_machine / "calls").exists()


def test_a_python_without_the_means_for_environments_is_one_line_with_its_package(
    checkout: Path, bare_machine: Path
) -> None:
    (bare_machine / "python3.11").write_text(
        f'#!{bare_machine}/bash\n[ "$2" != "import ensurepip" ] && exec {sys.executable} "$@"\n'
    )
    (bare_machine / "python3.11").chmod(stat.S_IRWXU)
    done = run(checkout / "run.sh", "demo", cwd=checkout, PATH=str(bare_machine))
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    version = "{}.{}".format(*sys.version_info)
    assert f"apt-get install python{version}-venv" in line
    assert not (checkout / ".venv").exists()
