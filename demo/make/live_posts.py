"""What the demo posts while it runs, one a minute: short messages for all channels, in the form of an export."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from demo.make.channels.people import GRACE, MILO, TOMAS
from demo.make.markup import (
    Json,
    Piece,
    bold,
    code,
    italic,
    link,
    piece,
    plain,
    pre,
    quote,
    spoiler,
    strike,
    text_keys,
    underline,
)

_SEA, _RAIL, _CAFE, _HILL, _TALK = (
    "demo_lighthouse",
    "demo_station",
    "demo_lantern",
    "demo_observatory",
    "demo_harbour_talk",
)

# Which channel's folder holds a photo, by the number that Telegram Desktop's file name starts with.
_FOLDERS = {_SEA: "lighthouse", _RAIL: "station", _CAFE: "lantern", _HILL: "observatory", _TALK: "harbour_talk"}


def _posts(channels: Path) -> list[Json]:
    return [
        _post(_SEA, bold("Wind backing south-west, three."), " The gulls have moved to the other roof.", views=12),
        _post(_RAIL, "Утренний прошёл. Высадил одного пассажира и один сугроб."),
        _post(_HILL, "雲が切れました。", bold("今すぐ"), "、南の空をどうぞ。"),
        _post(_CAFE, "وصل الخبز. ومعه، كالعادة، الجيران. 🫓"),
        _post(
            _SEA,
            "Seen from the gallery: a seal, balancing. We don't know what, either.",
            photo=_photo(channels, _SEA, 6),
        ),
        _post(_TALK, "the library stove has its own fan club now. there are badges", sender=MILO),
        _post(_RAIL, "Кот Семафор занял место у кассы. ", italic("Билеты временно не выдаются.")),
        _post(_SEA, quote("A harbour is a promise with a wall round it."), "\n— overheard at the chandler's"),
        _post(_HILL, "温度計：", code("2.4 ℃"), "、湿度：", code("51 %"), "。星は静かです。"),
        _post(_CAFE, "سؤال الصباح: أيهما أسبق، القهوة أم السؤال؟ ", spoiler("القهوة.")),
        _post(_SEA, "#fieldnotes\nBlue ring ", code("AB7"), " again, same stone, same expression."),
        _post(_RAIL, "Вид из окна не изменился, и в этом его достоинство.", photo=_photo(channels, _RAIL, 4)),
        _post(
            _TALK,
            "Who has borrowed the long ladder? It is, for once, not about the ",
            strike("cat"),
            " ladder.",
            sender=TOMAS,
        ),
        _post(_SEA, "👩🏽‍🚒🧯 Fire practice at noon; ", bold("the siren is only practising, too"), "."),
        _post(
            _CAFE, bold("كتاب اليوم:"), " رحلة ابن جبير، الصفحة التي يهدأ فيها البحر.", photo=_photo(channels, _CAFE, 4)
        ),
        _post(_HILL, "流れ星をひとつ見ました。願いごとは間に合わず、「あ」とだけ言いました。"),
        _post(_RAIL, "Семичасовой идёт ", underline("по расписанию"), ". Просим сохранять спокойствие.", views=40),
        _post(_SEA, "The lamp's diary for today:\n", pre("16:02  lit\n16:03  admired\n16:04  admired again", "")),
        _post(_TALK, "Lemon cake, last slice. I'm only saying.", sender=GRACE),
        _post(_CAFE, "نامه‌ای دیگر از شیراز: «باران آمد، کتاب‌ها سالم‌اند، چای هم.»"),
        _post(
            _SEA,
            "A reader asks for the page about knots again: ",
            link("here it is", "https://example.org/knots?from=notebook#bowline"),
            ". The bowline is on the right.",
        ),
        _post(_HILL, "猫の先生が望遠鏡の前から動きません。本日の観測対象は猫です。", photo=_photo(channels, _HILL, 1)),
        _post(_RAIL, "Вопрос залу ожидания: если чай остыл, это уже компот? Ответы — ", piece("hashtag", "#компот")),
        _post(
            _SEA,
            "Milo's barometer says “fair”. Milo's grandmother's knee says otherwise. "
            "We have put our money on the knee.",
        ),
        _post(_CAFE, "أُطفئت ستة قناديل. السابع نتركه، أنتم تعرفون لماذا. 🏮"),
        _post(_TALK, "2 < 3 && buns > 0, therefore: good evening", sender=TOMAS),
        _post(
            _SEA,
            bold("TWO FLASHES, THEN DARK"),
            "\n\nAll is as it should be. Good night from the stairs; Purser has the watch.",
        ),
        _post(_HILL, "閉館しました。坂の電灯は、朝まで点けておきます。"),
        _post(_RAIL, "На путях тихо. Сигнал зелёный. Если кому-то надо домой — дорога открыта."),
        _post(
            _SEA,
            plain("Answer to yesterday's riddle: the letter 𝓜. "),
            "It comes once in a minute, twice in a moment, never in a hundred years.",
        ),
    ]


def write(target: Path) -> None:
    """Write the list; the channels have to be built before, for their photos' names."""
    posts = _posts(target.parent / "channels")
    target.write_text(json.dumps(posts, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _post(
    channel: str,
    *pieces: Piece,
    sender: tuple[str, str] | None = None,
    photo: Json | None = None,
    views: int | None = None,
) -> Json:
    message: Json = {"type": "message"}
    if sender:
        message |= {"from": sender[0], "from_id": sender[1]}
    message |= photo or {}
    message |= text_keys(pieces)
    if views is not None:
        message["bridge"] = {"views": views}
    return {"channel": channel, "message": message}


def _photo(channels: Path, channel: str, number: int) -> Json:
    """The keys of the channel's n-th photo, posted once more."""
    export = json.loads((channels / _FOLDERS[channel] / "result.json").read_text("utf-8"))
    prefix = f"photos/photo_{number}@"
    found: Sequence[Json] = [message for message in export["messages"] if message.get("photo", "").startswith(prefix)]
    return {key: found[0][key] for key in ("photo", "photo_file_size", "width", "height")}
