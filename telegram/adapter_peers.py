"""TL users and chats as `Channel` and `PeerName`."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from pyrogram import raw
from pyrogram.file_id import FileUniqueType, b64_encode, rle_encode

from model.channel import Channel, ChannelKind, PeerName
from model.media import FileLocation, FileRef

# A channel's marked id is this minus its bare id, which gives the -100... of bots and links.
_CHANNEL_MARK = -(10**12)

# Restrictions are given for each app store; this one means every client.
_EVERY_PLATFORM = "all"
_SENSITIVE = frozenset({"sensitive", "porn"})

TLPeer = raw.base.Chat | raw.base.User
TLFullPeer = raw.base.ChatFull | raw.base.UserFull | raw.base.messages.ChatFull | raw.base.users.UserFull


def marked_id(peer: TLPeer | raw.base.Peer) -> int:
    """The id as in `Channel.id`: -100... for channels, negative for basic groups, positive for users."""
    if isinstance(peer, raw.types.PeerUser):
        return peer.user_id
    if isinstance(peer, raw.types.PeerChat):
        return -peer.chat_id
    if isinstance(peer, raw.types.PeerChannel):
        return marked_channel_id(peer.channel_id)
    if isinstance(peer, raw.types.Channel | raw.types.ChannelForbidden):
        return marked_channel_id(peer.id)
    if isinstance(peer, raw.types.User | raw.types.UserEmpty):
        return peer.id
    return -peer.id


def marked_channel_id(bare_id: int) -> int:
    """The -100... id of a channel or supergroup."""
    return _CHANNEL_MARK - bare_id


def unique_file_id(media_id: int, thumb: str = "") -> str:
    """The file_unique_id of bots' API; `thumb` is the size letter where it is not the main file."""
    name = b64_encode(rle_encode(struct.pack("<iq", FileUniqueType.DOCUMENT, media_id)))
    return f"{name}-{thumb}" if thumb else name


def restriction(reasons: Iterable[raw.base.RestrictionReason] | None) -> str:
    """Why Telegram bars something for clients outside the app stores; "" if it does not."""
    for reason in reasons or ():
        if reason.platform == _EVERY_PLATFORM:
            return reason.text or reason.reason
    return ""


def is_sensitive(reasons: Iterable[raw.base.RestrictionReason] | None) -> bool:
    """Whether Telegram marks something as sensitive content, on whatever platform."""
    return any(reason.reason in _SENSITIVE for reason in reasons or ())


class Peers:
    """The users and chats that came with an answer, by marked id."""

    def __init__(self, users: Iterable[raw.base.User], chats: Iterable[raw.base.Chat]) -> None:
        self._names: dict[int, PeerName] = {}
        for peer in (*users, *chats):
            if not isinstance(peer, raw.types.UserEmpty | raw.types.ChatEmpty):
                name = _name(peer)
                self._names[marked_id(peer)] = name

    def name(self, peer: raw.base.Peer | None) -> PeerName | None:
        """Who the peer is; None only for no peer."""
        return None if peer is None else self.named(marked_id(peer))

    def known(self, peer_id: int) -> PeerName | None:
        """Who has that marked id; None if the answer does not tell."""
        return self._names.get(peer_id)

    def named(self, peer_id: int) -> PeerName:
        """Who has that marked id, as far as the answer tells."""
        known = self.known(peer_id)
        if known is not None:
            return known
        if peer_id > 0:
            return PeerName(title="Unknown user", id=peer_id, kind=ChannelKind.USER)
        return PeerName(title="Unknown chat", id=peer_id)


def to_channel(peer: TLPeer, full: TLFullPeer | None = None) -> Channel:
    """A chat as the bridge keeps it. `full`, with or without its wrapper, adds what only full info tells."""
    if isinstance(full, raw.types.messages.ChatFull):
        full = full.full_chat
    elif isinstance(full, raw.types.users.UserFull):
        full = full.full_user
    usernames = _usernames(peer)
    name = _name(peer)
    return Channel(
        id=marked_id(peer),
        kind=_kind(peer),
        title=name.title,
        access_hash=getattr(peer, "access_hash", None) or 0,
        username=name.username,
        about=getattr(full, "about", None) or "",
        photo=_peer_photo(peer, full),
        usernames=usernames[1:],
        protected=bool(getattr(peer, "noforwards", None)),
        restriction=restriction(getattr(peer, "restriction_reason", None)),
        sensitive=is_sensitive(getattr(peer, "restriction_reason", None)),
        members=_first_known(getattr(full, "participants_count", None), getattr(peer, "participants_count", None)),
    )


def _first_known(*numbers: int | None) -> int | None:
    return next((number for number in numbers if number is not None), None)


def _kind(peer: TLPeer) -> ChannelKind:
    if isinstance(peer, raw.types.User | raw.types.UserEmpty):
        return ChannelKind.USER
    if isinstance(peer, raw.types.Channel | raw.types.ChannelForbidden):
        return ChannelKind.CHANNEL if peer.broadcast else ChannelKind.SUPERGROUP
    return ChannelKind.GROUP


def _name(peer: TLPeer) -> PeerName:
    usernames = _usernames(peer)
    username = usernames[0] if usernames else None
    if isinstance(peer, raw.types.User):
        title = " ".join(part for part in ((peer.first_name or "").strip(), (peer.last_name or "").strip()) if part)
        if not title or peer.deleted:
            title = "Deleted Account" if peer.deleted else username or f"User {peer.id}"
    else:
        title = getattr(peer, "title", "").strip() or username or f"Chat {marked_id(peer)}"
    return PeerName(title=title, id=marked_id(peer), username=username, kind=_kind(peer))


def _usernames(peer: TLPeer) -> tuple[str, ...]:
    """All active usernames, the one to show first."""
    if not isinstance(peer, raw.types.User | raw.types.Channel):
        return ()
    names = [peer.username] if peer.username else []
    names += [entry.username for entry in peer.usernames or () if entry.active]
    return tuple(dict.fromkeys(names))


def _peer_photo(peer: TLPeer, full: TLFullPeer | None) -> FileRef | None:
    """The big profile picture, by the location that needs no file reference."""
    photo = getattr(peer, "photo", None)
    if not isinstance(photo, raw.types.ChatPhoto | raw.types.UserProfilePhoto):
        return None
    size, side = 0, 640
    whole = getattr(full, "chat_photo", None)
    if isinstance(whole, raw.types.Photo) and whole.id == photo.photo_id:
        for candidate in whole.sizes:
            if isinstance(candidate, raw.types.PhotoSize) and candidate.w == side:
                size = candidate.size
    return FileRef(
        location=FileLocation.PEER_PHOTO,
        id=photo.photo_id,
        access_hash=0,
        file_reference=b"",
        dc_id=photo.dc_id,
        unique_id=unique_file_id(photo.photo_id),
        size=size,
        mime_type="image/jpeg",
        width=side,
        height=side,
        peer_id=marked_id(peer),
        peer_access_hash=getattr(peer, "access_hash", None) or 0,
    )
