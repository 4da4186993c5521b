"""Files that TL as JSON names, built as those of the export's own keys are."""

from __future__ import annotations

from pyrogram import raw

from tgserver.export.bridge import NO_EXTRA
from tgserver.export.documents import build_file
from tgserver.export.files import build_photo, find_file
from tgserver.export.scope import Scope
from tgserver.export.tl_json import Named
from tgserver.export.values import Json, as_dict


def named_files(scope: Scope, message_id: int, data: Json) -> Named:
    """What builds the files that the message's TL as JSON names; they are served, and as old as the message."""
    dates = {key: data[key] for key in ("date", "date_unixtime") if key in data}

    def photo(path: object) -> raw.types.Photo:
        _present(scope, path)
        return build_photo(scope, message_id, "photo", path, dates)

    def document(told: object) -> raw.types.Document:
        fields = as_dict(told)
        _present(scope, fields.get("file"))
        if "thumbnail" in fields:
            _present(scope, fields["thumbnail"])
        return build_file(scope, message_id, {**dates, **fields}, NO_EXTRA)

    return {"_photo": photo, "_document": document}


def _present(scope: Scope, path: object) -> None:
    if find_file(scope, path) is None:
        raise ValueError(f"names the file {path!r}, which is not in the export's folder")
