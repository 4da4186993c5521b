"""upload.*: files, part by part, by this server or by the delivery network."""

from __future__ import annotations

from pyrogram import raw

from tgserver.cdn import Delivery
from tgserver.errors import RpcFailure
from tgserver.rpc.context import Call, FilePart
from tgserver.rpc.peers import dialog
from tgserver.tl import TL, vector_of
from tgserver.world import ServedFile, World

KIB = 1024
MIB = 1024 * KIB
# The thumb types of a chat photo's two sizes, the fitting one first.
_BIG = ("c", "b", "y", "x", "w", "m", "a", "s", "")
_SMALL = ("a", "s", "m", "b", "c", "x", "y", "w", "")


def get_file(call: Call, query: raw.functions.upload.GetFile) -> FilePart | TL:
    """A part of a file; empty past its end. Clients that support it may be sent to the delivery network.

    Parts obey https://core.telegram.org/api/files#downloading-files: without `precise`, offset
    and limit are multiples of 4 KiB and the limit divides 1 MiB; with it, both are multiples of
    1 KiB; either way a part lies within one MiB of the file. Raises RpcFailure: OFFSET_INVALID,
    LIMIT_INVALID, FILE_ID_INVALID, FILE_REFERENCE_EXPIRED, FILE_MIGRATE_x, LOCATION_INVALID.
    """
    _check_range(query, precise=bool(query.precise))
    file = _locate(call, query.location)
    if file.dc_id != call.dc.id and file.dc_id in call.backend.dcs:
        raise RpcFailure(f"FILE_MIGRATE_{file.dc_id}", 303)
    network = call.backend.cdn
    if network is not None and query.cdn_supported and (delivery := network.delivery_of(file)) is not None:
        return network.redirect(delivery)
    return FilePart(file, query.offset, max(0, min(query.limit, file.size - query.offset)))


def get_cdn_file(call: Call, query: raw.functions.upload.GetCdnFile) -> FilePart | TL:
    """A part of a file, encrypted; or word that Telegram has to send it there first.

    Raises RpcFailure: OFFSET_INVALID, LIMIT_INVALID, FILE_TOKEN_INVALID.
    """
    _check_range(query, precise=False)
    delivery = _delivery(call, query.file_token)
    if not delivery.kept:
        return raw.types.upload.CdnFileReuploadNeeded(request_token=delivery.request_token)
    file = delivery.file
    wanted = max(0, min(query.limit, file.size - query.offset))
    tampered = call.backend.cdn is not None and call.backend.cdn.tampering
    return FilePart(file, query.offset, wanted, key=delivery.key, iv=delivery.iv, tampered=tampered)


def get_cdn_file_hashes(call: Call, query: raw.functions.upload.GetCdnFileHashes) -> bytes:
    """The hashes of some ranges from an offset on. Raises RpcFailure FILE_TOKEN_INVALID."""
    return vector_of(list(_delivery(call, query.file_token).hashes(query.offset)))


def reupload_cdn_file(call: Call, query: raw.functions.upload.ReuploadCdnFile) -> bytes:
    """Send a file to the delivery network; gives hashes of its beginning.

    Raises RpcFailure: FILE_TOKEN_INVALID, REQUEST_TOKEN_INVALID.
    """
    delivery = _delivery(call, query.file_token)
    if query.request_token != delivery.request_token:
        raise RpcFailure("REQUEST_TOKEN_INVALID", 400)
    delivery.kept = True
    return vector_of(list(delivery.hashes(0)))


def _delivery(call: Call, token: bytes) -> Delivery:
    delivery = call.backend.cdn.by_token(token) if call.backend.cdn is not None else None
    if delivery is None:
        raise RpcFailure("FILE_TOKEN_INVALID", 400)
    return delivery


def _check_range(query: raw.functions.upload.GetFile | raw.functions.upload.GetCdnFile, *, precise: bool) -> None:
    step = KIB if precise else 4 * KIB
    if query.offset < 0 or query.offset % step:
        raise RpcFailure("OFFSET_INVALID", 400)
    if not 0 < query.limit <= MIB or query.limit % step or (not precise and MIB % query.limit):
        raise RpcFailure("LIMIT_INVALID", 400)
    if query.offset // MIB != (query.offset + query.limit - 1) // MIB:
        raise RpcFailure("LIMIT_INVALID", 400)


def _locate(call: Call, location: object) -> ServedFile:
    if isinstance(location, raw.types.InputPeerPhotoFileLocation):
        dialog(call, location.peer)
        return _chat_photo(call.world, location.photo_id, big=bool(location.big))
    if not isinstance(location, raw.types.InputDocumentFileLocation | raw.types.InputPhotoFileLocation):
        raise RpcFailure("LOCATION_INVALID", 400)
    file = call.world.files.get((location.id, location.thumb_size))
    if file is None or file.access_hash != location.access_hash:
        raise RpcFailure("FILE_ID_INVALID", 400)
    if file.file_reference != location.file_reference:
        raise RpcFailure("FILE_REFERENCE_EXPIRED" if location.file_reference else "FILE_REFERENCE_EMPTY", 400)
    return file


def _chat_photo(world: World, photo_id: int, *, big: bool) -> ServedFile:
    for size in _BIG if big else _SMALL:
        if (photo_id, size) in world.files:
            return world.files[photo_id, size]
    raise RpcFailure("LOCATION_INVALID", 400)
