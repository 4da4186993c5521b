"""Papers: a PDF set by hand, a table, a note and an archive."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO

from PIL import Image

from demo.make.media import jpeg

# A line on a page: font (`F1` roman, `F2` bold, `F3` italic), size, space above it, words in Latin-1.
Line = tuple[str, int, int, str]


def pdf(title: str, pages: Sequence[tuple[Image.Image, Sequence[Line]]]) -> bytes:
    """An A4 document, each page a picture over lines of text."""
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    def stream(dictionary: str, content: bytes) -> int:
        return add(f"<< {dictionary} /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream")

    fonts = [
        add(f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode())
        for name in ("Times-Roman", "Times-Bold", "Times-Italic")
    ]
    resources = " ".join(f"/F{number} {font} 0 R" for number, font in enumerate(fonts, 1))
    tree = len(objects) + 3 * len(pages) + 1
    kids = []
    for picture, lines in pages:
        image = stream(
            f"/Type /XObject /Subtype /Image /Width {picture.width} /Height {picture.height} "
            "/ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode",
            jpeg(picture, 74),
        )
        high = 475 * picture.height / picture.width
        content = stream("", _page(lines, high))
        kids.append(
            add(
                (
                    f"<< /Type /Page /Parent {tree} 0 R /MediaBox [0 0 595 842] /Contents {content} 0 R "
                    f"/Resources << /Font << {resources} >> /XObject << /P {image} 0 R >> >> >>"
                ).encode()
            )
        )
    pages_list = " ".join(f"{kid} 0 R" for kid in kids)
    assert add(f"<< /Type /Pages /Kids [{pages_list}] /Count {len(kids)} >>".encode()) == tree
    root = add(f"<< /Type /Catalog /Pages {tree} 0 R >>".encode())
    info = add(f"<< /Title ({_escaped(title).decode('latin-1')}) >>".encode("latin-1"))
    return _file(objects, root, info)


def _page(lines: Sequence[Line], high: float) -> bytes:
    top = 842 - 60 - high
    parts = [f"q 475 0 0 {high:.1f} 60 {top:.1f} cm /P Do Q\n".encode()]
    y = top - 24
    for font, size, space, words in lines:
        y -= size * 1.35 + space
        parts.append(f"BT /{font} {size} Tf 60 {y:.1f} Td (".encode() + _escaped(words) + b") Tj ET\n")
    return b"".join(parts)


def _escaped(words: str) -> bytes:
    return words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("cp1252")


def _file(objects: Sequence[bytes], root: int, info: int) -> bytes:
    out = BytesIO()
    out.write(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, body in enumerate(objects, 1):
        offsets.append(out.tell())
        out.write(f"{number} 0 obj\n".encode() + body + b"\nendobj\n")
    start = out.tell()
    out.write(f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode())
    for offset in offsets:
        out.write(f"{offset:010d} 00000 n \n".encode())
    out.write(
        f"trailer\n<< /Size {len(objects) + 1} /Root {root} 0 R /Info {info} 0 R >>\n"
        f"startxref\n{start}\n%%EOF\n".encode()
    )
    return out.getvalue()


def archive(files: Mapping[str, str]) -> bytes:
    """A ZIP of text files."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, text in files.items():
            target.writestr(zipfile.ZipInfo(name, (2026, 11, 1, 12, 0, 0)), text)
    return out.getvalue()


def png(picture: Image.Image) -> bytes:
    """The picture as a PNG of at most 128 colours: sharp, and small enough for the demo."""
    out = BytesIO()
    picture.quantize(128, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()
