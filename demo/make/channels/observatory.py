"""坂の上の天文台 (Japanese): a small public observatory and the lanes below it."""

from __future__ import annotations

from pathlib import Path

from demo.make import ffmpeg, sounds, stickers
from demo.make.channels.people import ADA, LANTERN, LIGHTHOUSE, MIZUNO, OBSERVATORY, chats, users
from demo.make.export import Export, date_keys, unix
from demo.make.markup import bold, code, italic, link, piece, plain, pre, quote, span, spoiler, strike, underline
from demo.make.media import detail, document, jpeg, keys_only, photo, poll, preview, raw_media
from demo.make.scenes import coast, hill

_NOTE = """観測ノート（十一月）

11/03  火星　見かけの大きさ 8″。模様は「たぶん」。
11/12  月　双眼鏡で十分。猫が三脚に上る。
11/17  しし座流星群　一時間に九個。願いごとは各自で。
11/24  土星　小学四年生が「シールみたい」と言う。最高の賛辞。
"""


def build(folder: Path) -> None:
    """Write the channel's export."""
    channel = Export(
        folder,
        "坂の上の天文台",
        "public_channel",
        OBSERVATORY,
        username="demo_observatory",
        about="坂を二百段のぼった先の、小さな公開天文台のおたより。晴れたら星を、"
        "曇ったら猫をお届けします。デモ用チャンネル。",
        photo="avatar.jpg",
        users=users(MIZUNO, ADA),
        chats=chats(LIGHTHOUSE, LANTERN),
    )
    channel.put("avatar.jpg", jpeg(hill.observatory().crop((345, 300, 745, 700)).resize((480, 480))))
    _autumn(channel)
    _november(channel)
    _lately(channel)
    channel.write()


def _autumn(channel: Export) -> None:
    channel.service("2026-10-15 09:00", "create_channel", title="坂の上の天文台")
    channel.message(
        "2026-10-15 09:30",
        bold("はじめまして、坂の上の天文台です。"),
        "\n\n口径三十センチの望遠鏡がひとつ、",
        strike("先生"),
        "猫がひとり、館長がひとり。開館は",
        underline("晴れた夜だけ"),
        "。曇りの夜は、",
        italic("お茶だけ"),
        "お出しします。ご質問は mizuno@tenmondai.example まで。\n\n#はじめまして #天文台",
        author=MIZUNO[0],
        views=1620,
        forwards=30,
        reactions={"❤": 122, "👏": 20},
    )
    channel.message(
        "2026-10-17 11:20",
        "今夜も開きます。天の川は、ドームの右肩から。",
        media=photo(hill.observatory),
        author=MIZUNO[0],
        views=1880,
        forwards=41,
        reactions={"❤": 201, "🔥": 33},
    )
    channel.message(
        "2026-10-20 03:00",
        "「星が動くのではなくて、わたしたちが回っているんですね」と、三十分黙って見ていた方がおっしゃいました。",
        media=photo(hill.star_trails),
        views=2011,
        forwards=80,
        reactions={"❤": 240},
    )
    channel.message(
        "2026-10-22 10:00",
        "🔭👩‍🚀🇯🇵 ",
        bold("月の満ち欠け早見表"),
        "\n\n新月から満月まで、およそ十四・八日。電卓派の方はこちら：\n\n",
        pre("def 月齢(日: float) -> float:\n    return 日 % 29.530589", "python"),
        "\n\n感覚派の方は、夕方に見えたら「これから太る」、明け方に見えたら「もう食べすぎた」と覚えてください。",
        media=photo(hill.moons),
        author=MIZUNO[0],
        views=1544,
        forwards=66,
        reactions={"🤓": 40, "❤": 81},
    )
    channel.message(
        "2026-10-25 08:10",
        quote("遠くを見る道具は、足もとを照らさない。\nだから、帰り道は手をつなぐこと。"),
        views=1733,
        reactions={"❤": 188},
    )
    channel.message("2026-10-28 07:30", media=photo(hill.misty_mountains), views=1402, reactions={"😍": 77})
    channel.message(
        "2026-10-30 12:00",
        views=1210,
        media=poll(
            "秋の観望会、おやつは？",
            [("焼き芋", 188), ("月見団子（季節はずれ）", 121), ("館長の手作り（自己責任）", 96)],
            multiple_choice=True,
        ),
    )


def _november(channel: Export) -> None:
    words = "今夜は、おうし座の流れ星が多い夜です。南の空、すばるの少し左をぼんやり見てください。"
    channel.message(
        "2026-11-05 09:00",
        plain(words),
        author=MIZUNO[0],
        views=1820,
        forwards=90,
        reactions={"🌠": 60} | {"❤": 90},
        bridge={
            "entities": [
                span(words, "流れ星が多い夜", "Bold"),
                span(words, "多い夜です。南の空", "Italic"),
                span(words, "すばるの少し左", "TextUrl", url="https://example.org/subaru"),
                span(words, "すばる", "Underline"),
                span(words, "ぼんやり", "Spoiler"),
            ]
        },
    )
    lane = channel.message(
        "2026-11-08 06:40",
        "坂の下の銀杏並木。赤い傘のひとは、毎年この日に通ります。",
        media=photo(hill.ginkgo_lane),
        author=MIZUNO[0],
        views=2150,
        forwards=55,
        reactions={"❤": 233},
    )
    channel.message(
        "2026-11-08 06:55",
        "コメントで「去年は青い傘でした」と教えていただきました。館長、視力検査へ。",
        reply_to=lane,
        author=MIZUNO[0],
        views=1601,
        reactions={"😁": 140},
        bridge=channel.quoting(lane, "赤い傘のひと"),
    )
    channel.message(
        "2026-11-11 10:00",
        "観測ノートを書き起こしました。「たぶん」が多いのは、大気のせいです。",
        media=document(
            "files/観測ノート🔭十一月.txt", lambda: _NOTE.encode(), "text/plain", file_name="観測ノート🔭十一月.txt"
        ),
        views=1090,
        reactions={"👍": 44},
    )
    channel.message(
        "2026-11-13 21:30",
        "風の強い夜は星が瞬くので、観測はお休み。かわりに、軒先の風鈴をどうぞ。",
        media=document(
            "voice_messages/audio_1@{at}.ogg",
            lambda: ffmpeg.ogg(sounds.wind_chime()),
            "audio/ogg",
            media_type="voice_message",
            duration_seconds=6,
        ),
        views=1330,
        reactions={"❤": 96},
    )
    channel.message(
        "2026-11-14 09:00",
        media=document(
            "stickers/sticker.tgs",
            stickers.star_tgs,
            "application/x-tgsticker",
            file_name="sticker.tgs",
            thumb=stickers.star_poster,
            size=(512, 512),
            media_type="sticker",
            sticker_emoji="⭐",
        ),
        views=1221,
        reactions={"❤": 88},
    )
    channel.service("2026-11-16 03:00", "group_call_scheduled", **date_keys("schedule_date", "2026-11-17 15:00"))
    channel.message(
        "2026-11-17 17:20",
        "しし座流星群、一時間に九個。三つ目を見たのは館長だけで、証拠はありません。",
        author=MIZUNO[0],
        views=1777,
        reactions={"🤩": 70},
    )
    channel.message(
        "2026-11-18 10:00",
        "望遠鏡の選び方について、とても誠実な記事。"
        "結論は「まず友だちの双眼鏡を借りること」。"
        "https://example.org/first-telescope",
        views=1288,
        forwards=37,
        media=preview(
            "https://example.org/first-telescope",
            "はじめての望遠鏡は、買わなくていい",
            site_name="夜道の手帖",
            description="倍率よりも、寒くない靴下。二十年教えて分かった七つのこと。",
            scene=hill.saturn,
            large=True,
        ),
    )
    channel.message(
        "2026-11-19 11:00",
        "星ぐるり・高精細版（八時間分）。いただいた星は、赤道儀のグリスになります。",
        media=lambda export, moment: {
            "paid_stars_amount": 15,
            **photo(detail(hill.star_trails, 320, 0, 960, 640))(export, moment),
        },
        views=940,
        reactions={"paid": 12},
    )


def _lately(channel: Export) -> None:
    channel.message(
        "2026-11-20 08:30",
        quote("The sea doesn't hurry, and yet it is never late.\n— said by the ferryman, who is always late"),
        forwarded_from="The Lighthouse Notebook",
        forwarded_from_id=f"channel{LIGHTHOUSE}",
        views=1502,
        reactions={"❤": 160},
        bridge={"forward": {"channel_id": LIGHTHOUSE, "channel_post": 11, "date": unix("2026-10-18 20:00")}},
    )
    channel.message(
        "2026-11-20 08:35",
        "「海は急がず、けれど遅れない」。灯台の方のことばです。星も同じですね。うちの館長だけが、たまに遅れます。",
        author=MIZUNO[0],
        views=1604,
        reactions={"❤": 255},
    )
    channel.message(
        "2026-11-22 05:00",
        "道案内です。二百段ありますが、百二十段目にベンチと柿の木があります。",
        media=keys_only(
            place_name="坂の上の天文台",
            address="星見坂 二百段目",
            location_information={"latitude": 34.4098, "longitude": 133.2049},
        ),
        views=1302,
    )
    channel.message(
        "2026-11-24 12:40",
        "土星。望遠鏡で見ると、だれでも一度は「シールを貼った？」と訊きます。貼っていません。",
        media=photo(hill.saturn, spoiler=True),
        author=MIZUNO[0],
        views=2330,
        forwards=101,
        reactions={"❤": 302, "🤩": 88},
    )
    channel.message(
        "2026-11-24 20:00",
        "屋根の上の先生（猫）、本日は満月の講義中。受講無料、拍手はご遠慮ください。",
        media=photo(hill.rooftops),
        views=1540,
        reactions={"😁": 90, "❤": 170},
    )
    channel.album(
        "2026-11-26 07:00",
        [
            photo(detail(hill.rooftops, 0, 240, 900, 853)),
            photo(detail(hill.ginkgo_lane, 180, 420, 780, 1100)),
            photo(detail(hill.misty_mountains, 120, 280, 820, 853)),
            photo(coast.lighthouse_night),
        ],
        "夜の屋根、昼の並木、朝の山。最後の一枚は、海の向こうの友だちから。",
        author=MIZUNO[0],
        views=1901,
        reactions={"❤": 190},
    )
    channel.message(
        "2026-11-27 09:00",
        "来館の記念に、サイコロを振ってもらっています。六が出たら、望遠鏡の向きを決めていい決まりです。",
        views=1100,
    )
    channel.message(
        "2026-11-27 12:00", media=raw_media("Dice", value=5, emoticon="🎯"), views=980, reactions={"😁": 51}
    )
    channel.message(
        "2026-11-28 10:00",
        "冬の開館時間：",
        code("18:00–22:00"),
        "（晴れのみ）。くわしくは",
        link("こちらの暦", "https://example.org/tenmondai/calendar"),
        "へ。駐車場はありません。坂はあります。",
        edited="2026-11-28 10:20",
        views=1240,
        bridge={"keyboard": [[{"text": "📅 暦をひらく", "url": "https://example.org/tenmondai/calendar"}]]},
    )
    channel.message(
        "2026-11-30 12:10",
        "十一月の終わりの夜に、ひとつだけ。\n\n見えている星の光は、"
        "昔の光だとよく言います。けれど、それを「いま」受け取っているのは、"
        "あなたの目です。届くまで待っていてくれた、と思うことにしています。",
        spoiler("おやすみなさい。"),
        " ",
        piece("hashtag", "#坂の上"),
        author=MIZUNO[0],
        views=610,
        forwards=44,
        reactions={"❤": 222},
    )
