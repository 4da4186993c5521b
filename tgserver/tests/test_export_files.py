"""Files of exports: found, served, never outside the folder, under the same ids each time."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from pyrogram import raw

from tgserver.export.files import mime_type_of, photo_letter
from tgserver.export.imagesize import image_size
from tgserver.tests.export_builders import built_message, chat_data, load, message, png
from tgserver.world import World

T = raw.types


def test_a_documents_bytes_are_served_under_the_ids_of_its_message(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files/отчёт.pdf").write_bytes(b"%PDF" * 100)
    (tmp_path / "t.png").write_bytes(png(20, 10))
    world = World()
    data = message(5, file="files/отчёт.pdf", file_size=7, thumbnail="t.png", mime_type="application/pdf")
    document = built_message(data, tmp_path, world).media.document
    served = world.files[document.id, ""]
    assert (document.size, served.size, served.mime_type) == (400, 400, "application/pdf")
    assert (served.access_hash, served.file_reference, served.dc_id) == (
        document.access_hash,
        document.file_reference,
        document.dc_id,
    )
    assert served.read(0, 8) == b"%PDF%PDF"
    assert world.files[document.id, "m"].read(0, 4) == b"\x89PNG"


def test_a_photos_bytes_are_served_under_each_of_its_sizes(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png(900, 600))
    world = World()
    photo = built_message(message(5, photo="a.png", width=900, height=600), tmp_path, world).media.photo
    assert {size.type for size in photo.sizes} == {"m", "y"}
    for size in photo.sizes:
        served = world.files[photo.id, size.type]
        assert (served.size, served.access_hash) == (size.size, photo.access_hash)
        assert served.file_reference == photo.file_reference


@pytest.mark.parametrize(
    "path",
    [
        "(File not included. Change data exporting settings to download.)",
        "(File exceeds maximum size. Change data exporting settings to download.)",
        "(File unavailable, please try again later)",
        "files/gone.bin",
        "files",
        "../secret.bin",
        "files/../../secret.bin",
        "{outside}/secret.bin",
        "link.bin",
        "linked/secret.bin",
        "a\0b",
        "x" * 5000,
        "",
    ],
)
def test_a_file_that_is_not_in_the_folder_is_not_served_but_its_message_stays(path: str, tmp_path: Path) -> None:
    folder = tmp_path / "export"
    (folder / "files").mkdir(parents=True)
    (tmp_path / "secret.bin").write_bytes(b"secret")
    (folder / "link.bin").symlink_to(tmp_path / "secret.bin")
    (folder / "linked").symlink_to(tmp_path)
    world = World()
    written = path.format(outside=tmp_path)
    told = message(1, file=written, file_size=77, text="Words", thumbnail=written)
    [chat] = load(folder, chat_data(told, message(2, photo=written)), world)
    assert world.files == {}
    assert (chat.messages[1].media.document.size, chat.messages[1].message) == (77, "Words")
    assert isinstance(chat.messages[2].media.photo, T.Photo)


def test_a_symlink_within_the_folder_is_served(tmp_path: Path) -> None:
    (tmp_path / "real.bin").write_bytes(b"bytes")
    (tmp_path / "link.bin").symlink_to(tmp_path / "real.bin")
    world = World()
    built_message(message(file="link.bin"), tmp_path, world)
    assert [file.size for file in world.files.values()] == [5]


def test_a_folder_reached_by_a_symlink_serves_its_files(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/a.bin").write_bytes(b"bytes")
    (tmp_path / "way").symlink_to(tmp_path / "real")
    world = World()
    load(tmp_path / "way", chat_data(message(file="a.bin")), world)
    assert [file.size for file in world.files.values()] == [5]


def test_each_load_gives_the_same_ids_hashes_and_references(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"a")
    data = chat_data(message(1, file="a.bin"), message(2, file="a.bin"), message(3, photo="a.bin"))
    first, second = World(), World()
    [one] = load(tmp_path, data, first)
    [two] = load(tmp_path, data, second)
    assert first.files == second.files
    assert [item.write() for item in one.newest_first()] == [item.write() for item in two.newest_first()]
    assert one.peer.write() == two.peer.write()
    assert len({file.id for file in first.files.values()}) == 3


def test_a_post_with_another_file_under_the_same_id_is_another_document(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"a")
    (tmp_path / "b.bin").write_bytes(b"b")
    first = built_message(message(1, file="a.bin"), tmp_path).media.document.id
    assert built_message(message(1, file="b.bin"), tmp_path).media.document.id != first


@pytest.mark.parametrize(
    ("width", "height", "letter"), [(320, 1, "m"), (321, 1, "x"), (1, 800, "x"), (1280, 9, "y"), (1281, 9, "w")]
)
def test_the_letter_of_a_photo_size_tells_its_longest_side(width: int, height: int, letter: str) -> None:
    assert photo_letter(width, height) == letter


@pytest.mark.parametrize(
    ("name", "mime_type"),
    [
        ("a.JPG", "image/jpeg"),
        ("a.tgs", "application/x-tgsticker"),
        ("a.opus", "audio/ogg"),
        ("a.b.pdf", "application/pdf"),
        ("a", "application/octet-stream"),
        ("", "application/octet-stream"),
        ("a.doesnotexist", "application/octet-stream"),
    ],
)
def test_a_file_names_end_tells_its_type(name: str, mime_type: str) -> None:
    assert mime_type_of(name) == mime_type


def jpeg(width: int, height: int) -> bytes:
    """The headers of a JPEG with an APP0 and a progressive frame."""
    frame = b"\x08" + struct.pack(">HH", height, width) + b"\x03" + bytes(9)
    return b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(10) + b"\xff\xff\xc2" + struct.pack(">H", 2 + len(frame)) + frame


def webp(kind: bytes, body: bytes) -> bytes:
    """A WebP with one chunk."""
    return b"RIFF\0\0\0\0WEBP" + kind + struct.pack("<I", len(body)) + body


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (png(70, 50), (70, 50)),
        (b"GIF89a" + struct.pack("<HH", 70, 50) + bytes(20), (70, 50)),
        (jpeg(70, 50), (70, 50)),
        (webp(b"VP8X", bytes(4) + (69).to_bytes(3, "little") + (49).to_bytes(3, "little")), (70, 50)),
        (webp(b"VP8L", b"\x2f" + (69 | 49 << 14).to_bytes(4, "little") + bytes(8)), (70, 50)),
        (webp(b"VP8 ", bytes(3) + b"\x9d\x01\x2a" + struct.pack("<HH", 70, 50) + bytes(8)), (70, 50)),
        (b"BM" + bytes(16) + struct.pack("<ii", 70, -50) + bytes(8), (70, 50)),
        (webp(b"ALPH", bytes(20)), None),
        (b"\xff\xd8\xff\xda\x00\x02", None),
        (b"\xff\xd8\x00", None),
        (b"\xff\xd8\xff", None),
        (b"\x89PNG\r\n\x1a\n", None),
        (b"%PDF-1.7", None),
        (b"", None),
    ],
)
def test_pictures_are_measured_by_their_headers(content: bytes, size: tuple[int, int] | None, tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(content)
    assert image_size(tmp_path / "picture") == size


def test_what_an_image_library_writes_is_measured_alike(tmp_path: Path) -> None:
    image: Any = pytest.importorskip("PIL.Image")
    for name in ("a.jpg", "a.webp", "a.gif", "a.bmp", "a.png"):
        image.new("RGB", (123, 45), "teal").save(tmp_path / name)
        assert image_size(tmp_path / name) == (123, 45), name


def test_a_picture_that_is_not_there_has_no_size(tmp_path: Path) -> None:
    assert image_size(tmp_path / "none.png") is None
