"""Media without files: what is told of it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from pyrogram import raw
from tl_files import document_file, photo_file, square, thumb_file, tl_document, tl_photo
from tl_objects import decoded

from model.attachment import LivePhoto, Photo, Video
from model.channel import ChannelKind, PeerName
from model.entity import Entity, EntityType, Text
from model.files import files_of, find_file
from model.media import Media
from model.message import Message
from model.place import Location, Point, Venue
from model.poll import Poll, PollOption
from model.special import (
    Checklist,
    ChecklistItem,
    Contact,
    Dice,
    Game,
    Giveaway,
    GiveawayResults,
    Invoice,
    PaidMedia,
    PaidPreview,
    Story,
)
from telegram.adapter_media import to_media
from telegram.adapter_peers import Peers

T = raw.types

ANNA = T.User(id=7, first_name="Anna", username="anna")
NEWS = T.Channel(id=5, title="News", photo=T.ChatPhotoEmpty(), date=0, username="news")
PEERS = Peers([ANNA], [NEWS])
ANNA_NAME = PeerName(title="Anna", id=7, username="anna", kind=ChannelKind.USER)
NEWS_NAME = PeerName(title="News", id=-1000000000005, username="news", kind=ChannelKind.SUPERGROUP)

PHOTO = T.MessageMediaPhoto(photo=tl_photo(square("x", 800, 3)))
FILM = tl_document("video/mp4", T.DocumentAttributeVideo(duration=2, w=3, h=4), thumbs=[square("m", 320, 9)])
VIDEO = Video(file=document_file("video/mp4", "", 3, 4), thumb=thumb_file("m", 320, 9), width=3, height=4, duration=2)
PICTURE = Photo(file=photo_file("x", 800, 3))


def words(text: str, *entities: Any) -> raw.types.TextWithEntities:
    return T.TextWithEntities(text=text, entities=list(entities))


def point(latitude: float, longitude: float, **fields: Any) -> raw.types.GeoPoint:
    return T.GeoPoint(long=longitude, lat=latitude, access_hash=1, **fields)


def web_document(url: str) -> raw.types.WebDocument:
    return T.WebDocument(url=url, access_hash=1, size=2, mime_type="image/jpeg", attributes=[])


def invoice(**fields: Any) -> raw.types.MessageMediaInvoice:
    known: dict[str, Any] = {"title": "", "description": "", "currency": "", "total_amount": 0, "start_param": ""}
    return T.MessageMediaInvoice(**known | fields)


CASES: dict[str, tuple[Any, Media]] = {
    "contact": (
        T.MessageMediaContact(phone_number="+1 2", first_name="Ann", last_name="Lee", vcard="BEGIN:VCARD", user_id=7),
        Contact(phone="+1 2", first_name="Ann", last_name="Lee", user_id=7),
    ),
    "bare contact": (
        T.MessageMediaContact(phone_number="", first_name="", last_name="", vcard="", user_id=0),
        Contact(),
    ),
    "location": (
        T.MessageMediaGeo(geo=point(55.5, -2.25, accuracy_radius=20)),
        Location(point=Point(latitude=55.5, longitude=-2.25, accuracy=20)),
    ),
    "lost location": (T.MessageMediaGeo(geo=T.GeoPointEmpty()), Location()),
    "location at no place": (T.MessageMediaGeo(geo=point(float("nan"), 1)), Location()),
    "location off the map": (T.MessageMediaGeo(geo=point(90.5, 1)), Location()),
    "infinite location": (T.MessageMediaGeo(geo=point(1, float("inf"))), Location()),
    "live location": (
        T.MessageMediaGeoLive(geo=point(1, 2), period=900, heading=45),
        Location(point=Point(latitude=1, longitude=2), live_period=900, heading=45),
    ),
    "venue": (
        T.MessageMediaVenue(
            geo=point(1, 2), title="Pier", address="Quay 1", provider="p", venue_id="v", venue_type="t"
        ),
        Venue(title="Pier", address="Quay 1", point=Point(latitude=1, longitude=2)),
    ),
    "bare venue": (
        T.MessageMediaVenue(geo=T.GeoPointEmpty(), title="", address="", provider="", venue_id="", venue_type=""),
        Venue(),
    ),
    "dice": (T.MessageMediaDice(value=6, emoticon="🎲"), Dice(emoji="🎲", value=6)),
    "game": (
        T.MessageMediaGame(
            game=T.Game(
                id=1, access_hash=2, short_name="g", title="Gull", description="Old", photo=tl_photo(square("x", 8, 3))
            )
        ),
        Game(title="Gull", description="Old", photo=photo_file("x", 8, 3)),
    ),
    "game with a film": (
        T.MessageMediaGame(
            game=T.Game(
                id=1,
                access_hash=2,
                short_name="g",
                title="",
                description="",
                photo=T.PhotoEmpty(id=1),
                document=FILM,
            )
        ),
        Game(photo=thumb_file("m", 320, 9)),
    ),
    "invoice": (
        invoice(
            title="Cake",
            description="Lemon",
            currency="EUR",
            total_amount=1250,
            photo=web_document("https://a.b/c.jpg"),
            receipt_msg_id=4,
            test=True,
            extended_media=T.MessageExtendedMediaPreview(w=8, h=6),
        ),
        Invoice(
            title="Cake",
            description="Lemon",
            currency="EUR",
            amount=1250,
            photo_url="https://a.b/c.jpg",
            media=PaidPreview(width=8, height=6),
            paid=True,
            test=True,
        ),
    ),
    "bare invoice": (invoice(), Invoice()),
    "invoice that is paid": (
        invoice(extended_media=T.MessageExtendedMedia(media=PHOTO)),
        Invoice(media=PICTURE),
    ),
    "paid media": (
        T.MessageMediaPaidMedia(
            stars_amount=50,
            extended_media=[
                T.MessageExtendedMediaPreview(
                    w=800, h=600, thumb=T.PhotoStrippedSize(type="i", bytes=b"\x01"), video_duration=9
                ),
                T.MessageExtendedMediaPreview(),
            ],
        ),
        PaidMedia(stars=50, items=(PaidPreview(width=800, height=600, duration=9), PaidPreview())),
    ),
    "paid media that is bought": (
        T.MessageMediaPaidMedia(
            stars_amount=1,
            extended_media=[
                T.MessageExtendedMedia(media=PHOTO),
                T.MessageExtendedMedia(media=T.MessageMediaDocument(document=FILM)),
                T.MessageExtendedMedia(media=T.MessageMediaUnsupported()),
            ],
        ),
        PaidMedia(stars=1, items=(PICTURE, VIDEO, PaidPreview())),
    ),
    "giveaway": (
        T.MessageMediaGiveaway(
            channels=[5, 6],
            quantity=3,
            until_date=99,
            only_new_subscribers=True,
            countries_iso2=["GB", "PT"],
            prize_description="a clock",
            months=6,
        ),
        Giveaway(
            channels=(NEWS_NAME, PeerName(title="Unknown chat", id=-1000000000006)),
            winners=3,
            months=6,
            prize="a clock",
            until=99,
            countries=("GB", "PT"),
            only_new=True,
        ),
    ),
    "giveaway of stars": (
        T.MessageMediaGiveaway(channels=[5], quantity=1, until_date=0, stars=500),
        Giveaway(channels=(NEWS_NAME,), winners=1, stars=500),
    ),
    "giveaway results": (
        T.MessageMediaGiveawayResults(
            channel_id=5,
            launch_msg_id=8,
            winners_count=3,
            unclaimed_count=1,
            winners=[7, 8],
            until_date=99,
            refunded=True,
            stars=500,
            prize_description="a clock",
        ),
        GiveawayResults(
            channel=NEWS_NAME,
            post_id=8,
            count=3,
            unclaimed=1,
            winners=(ANNA_NAME,),
            stars=500,
            prize="a clock",
            refunded=True,
        ),
    ),
    "story": (T.MessageMediaStory(peer=T.PeerUser(user_id=7), id=3), Story(id=3, author=ANNA_NAME)),
    "story that can be seen": (
        T.MessageMediaStory(
            peer=T.PeerChannel(channel_id=5),
            id=3,
            story=T.StoryItem(
                id=3,
                date=1,
                expire_date=2,
                media=PHOTO,
                caption="Hi",
                entities=[T.MessageEntityBold(offset=0, length=2)],
            ),
        ),
        Story(
            id=3,
            author=NEWS_NAME,
            text=Text("Hi", (Entity(type=EntityType.BOLD, offset=0, length=2),)),
            media=PICTURE,
        ),
    ),
    "deleted story": (
        T.MessageMediaStory(peer=T.PeerUser(user_id=7), id=3, story=T.StoryItemDeleted(id=3)),
        Story(id=3, author=ANNA_NAME),
    ),
    "checklist": (
        T.MessageMediaToDo(
            todo=T.TodoList(
                title=words("Morning", T.MessageEntityBold(offset=0, length=7)),
                list=[T.TodoItem(id=1, title=words("tea")), T.TodoItem(id=2, title=words("cat"))],
            ),
            completions=[T.TodoCompletion(id=2, completed_by=T.PeerUser(user_id=7), date=1)],
        ),
        Checklist(
            title=Text("Morning", (Entity(type=EntityType.BOLD, offset=0, length=7),)),
            items=(ChecklistItem(text=Text("tea")), ChecklistItem(text=Text("cat"), done=True)),
        ),
    ),
    "live photo": (
        T.MessageMediaPhoto(photo=tl_photo(square("x", 800, 3)), live_photo=True, spoiler=True, video=FILM),
        LivePhoto(photo=msgspec.structs.replace(PICTURE, spoiler=True), video=VIDEO),
    ),
    "live photo whose film is gone": (
        T.MessageMediaPhoto(photo=tl_photo(square("x", 800, 3)), live_photo=True, video=T.DocumentEmpty(id=1)),
        PICTURE,
    ),
    "illustrated poll": (
        T.MessageMediaPoll(
            poll=T.Poll(
                id=1,
                question=words("Which?"),
                answers=[
                    T.PollAnswer(text=words("this"), option=b"0", media=PHOTO),
                    T.PollAnswer(text=words("there"), option=b"1", media=T.MessageMediaGeo(geo=point(1, 2))),
                ],
                hash=0,
            ),
            results=T.PollResults(
                solution="So",
                # The schema has these together.
                solution_entities=[T.MessageEntityItalic(offset=0, length=2)],
                solution_media=T.MessageMediaDocument(document=FILM),
            ),
            attached_media=T.MessageMediaVenue(
                geo=point(1, 2), title="Pier", address="", provider="", venue_id="", venue_type=""
            ),
        ),
        Poll(
            question=Text("Which?"),
            options=(
                PollOption(text=Text("this"), media=PICTURE),
                PollOption(text=Text("there"), media=Location(point=Point(latitude=1, longitude=2))),
            ),
            solution=Text("So", (Entity(type=EntityType.ITALIC, offset=0, length=2),)),
            media=Venue(title="Pier", point=Point(latitude=1, longitude=2)),
            solution_media=VIDEO,
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_each_kind_with_all_or_nothing_known(case: str) -> None:
    media, expected = CASES[case]
    assert to_media(decoded(media), PEERS) == expected


@pytest.mark.parametrize("case", CASES)
def test_each_kind_reads_back_from_storage_as_it_was(case: str) -> None:
    message = Message(id=1, date=2, media=CASES[case][1])
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(message), type=Message) == message


@pytest.mark.parametrize(
    ("case", "files"),
    [
        ("game", 1),
        ("paid media", 0),
        ("paid media that is bought", 3),
        ("invoice that is paid", 1),
        ("story that can be seen", 1),
        ("live photo", 3),
        ("illustrated poll", 3),
    ],
)
def test_all_files_of_a_message_can_be_found(case: str, files: int) -> None:
    message = Message(id=1, date=2, media=CASES[case][1])
    found = list(files_of(message))
    assert len(found) == files
    assert all(find_file(message, file.unique_id) is not None for file in found)
