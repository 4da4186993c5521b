"""Files are whole or not there, whatever happens to whoever writes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from file_io import PartFile, atomic_write


def test_a_written_file_replaces_the_old_one_and_has_the_asked_mode(tmp_path: Path) -> None:
    target = tmp_path / "key"
    target.write_bytes(b"old")
    atomic_write(target, b"new", mode=0o600)
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [target]


def test_a_part_file_takes_bytes_in_any_order_and_gets_its_name_at_the_end(tmp_path: Path) -> None:
    target = tmp_path / "video"
    with PartFile(target) as part:
        assert part.part_path.match("video.part.*")
        part.write_at(4, b"5678")
        assert not target.exists()
        assert part.read_at(4, 100) == b"5678"
        part.write_at(0, b"1234")
        part.commit()
    assert target.read_bytes() == b"12345678"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failed_write_leaves_the_old_file_and_no_part_file(tmp_path: Path) -> None:
    target = tmp_path / "video"
    target.write_bytes(b"old")
    with pytest.raises(RuntimeError, match="lost the connection"), PartFile(target) as part:
        part.write_at(0, b"new")
        raise RuntimeError("lost the connection")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_full_disk_leaves_the_old_file_and_no_part_file(tmp_path: Path) -> None:
    target = tmp_path / "state"
    target.write_bytes(b"old")
    code = (
        "import resource, signal, sys; from pathlib import Path; from file_io import atomic_write\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))\n"
        "try: atomic_write(Path(sys.argv[1]), b'x' * 1000)\n"
        "except OSError as fault: print(fault.errno)"
    )
    done = subprocess.run([sys.executable, "-c", code, target], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "27"
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]
