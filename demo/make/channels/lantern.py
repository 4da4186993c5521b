"""مقهى القنديل (Arabic, with a Persian letter): a café with books above an old port."""

from __future__ import annotations

from pathlib import Path

from demo.make import ffmpeg, motion, papers, sounds
from demo.make.channels.people import ADA, LANTERN, LIGHTHOUSE, SALMA, STATION, TOMAS, chats, users
from demo.make.export import Export, unix
from demo.make.markup import (
    Json,
    bold,
    code,
    emoji,
    italic,
    link,
    piece,
    plain,
    quote,
    span,
    spoiler,
    strike,
    underline,
)
from demo.make.media import detail, document, jpeg, keys_only, photo, poll, preview, small
from demo.make.scenes import bay, port

_BOOKS = """title,author,shelf
كتاب البخلاء,الجاحظ,٣
رحلة ابن جبير,ابن جبير,١
طوق الحمامة,ابن حزم,٢ (معار منذ رمضان)
"""

_CHECKLIST: Json = {
    "title": "قبل أن نفتح صباحًا",
    "others_can_complete": True,
    "items": [
        {"id": 1, "text": "سقي النعناع", "completed": True, "completed_by": SALMA[0], "completed_by_id": SALMA[1]},
        {
            "id": 2,
            "text": "ملء القناديل زيتًا",
            "completed": True,
            "completed_by": SALMA[0],
            "completed_by_id": SALMA[1],
        },
        {"id": 3, "text": "إيقاظ القط بلطف"},
        {"id": 4, "text": "وضع كتاب على كل طاولة"},
    ],
}


def build(folder: Path) -> None:
    """Write the channel's export."""
    channel = Export(
        folder,
        "مقهى القنديل",
        "public_channel",
        LANTERN,
        username="demo_lantern",
        about="قهوة وكتب وشاي بالنعناع فوق الميناء القديم. نفتح مع أول ضوء ونطفئ القنديل مع آخر قارئ. قناة تجريبية.",
        photo="avatar.jpg",
        users=users(SALMA, ADA, TOMAS),
        chats=chats(LIGHTHOUSE, STATION),
    )
    channel.put("avatar.jpg", jpeg(port.lanterns().crop((480, 40, 840, 400)).resize((480, 480))))
    _opening(channel)
    _evenings(channel)
    _letters(channel)
    channel.write()


def _opening(channel: Export) -> None:
    channel.service("2026-10-18 15:00", "create_channel", title="مقهى القنديل")
    first = channel.message(
        "2026-10-18 15:20",
        bold("أهلًا بكم في مقهى القنديل."),
        "\n\nثماني طاولات، وألف وثلاثمئة كتاب، ونافذة واحدة ",
        underline("تكفي البحر كله"),
        ". القهوة عندنا ",
        strike("مُرّة"),
        " صريحة، والشاي بالنعناع من سطح الدار. من أعاد الكتاب في موعده فله كأس، ومن تأخر فله ",
        italic("كأس وعتاب خفيف"),
        ".\n\nراسلونا: salma@qandil.example أو عبر @demo_lantern\n\n#القنديل #كتب",
        author=SALMA[0],
        views=2210,
        forwards=40,
        reactions={"❤": 180, "👏": 30},
    )
    channel.service("2026-10-18 15:21", "pin_message", message_id=first)
    channel.message(
        "2026-10-19 18:05",
        "سبعة قناديل وسبع حكايات. البرتقالي من مراكش، والأزرق لا يقول من أين جاء.",
        media=photo(port.lanterns),
        author=SALMA[0],
        views=2033,
        reactions={"❤": 160, "🔥": 22},
    )
    channel.message(
        "2026-10-21 09:00",
        "🫖👩‍🍳 ",
        bold("شاي النعناع كما نصنعه"),
        "\n\n١. ملعقة شاي أخضر لكل كأس، تُغسل بماء ساخن ويُراق.\n٢. قبضة نعناع لم تمسّها الشمس بعد الظهر.\n٣. السكر: ",
        code("3 × عدد الضيوف"),
        " ثم تُنقص واحدة من باب الحكمة.\n٤. يُصبّ من علوّ ذراع، كي يسمعه الجيران فيأتوا.",
        media=photo(port.mint_tea),
        views=1902,
        forwards=77,
        reactions={"❤": 133},
    )
    channel.message(
        "2026-10-23 20:30", quote("الكتاب الذي لا يُعار يشيخ وحده."), views=1750, forwards=52, reactions={"❤": 190}
    )
    channel.message(
        "2026-10-25 16:45",
        "الميناء القديم في السادسة إلا ربعًا. المراكب تعود، والمدينة تشعل نوافذها واحدة واحدة، كمن يعدّ أولاده.",
        media=photo(port.old_port),
        author=SALMA[0],
        views=2480,
        forwards=64,
        reactions={"❤": 244},
    )


def _evenings(channel: Export) -> None:
    channel.message(
        "2026-10-28 19:00",
        "تقسيم قصير على مقام الحجاز، سجّلناه بعد إغلاق الباب. يُسمع المطر في آخره، لا تبحثوا عن العازف.",
        views=1660,
        reactions={"❤": 121, "👏": 44},
        media=document(
            "files/taqsim.mp3",
            lambda: ffmpeg.mp3(
                sounds.lantern_taqsim(),
                small(port.lanterns().crop((220, 0, 1073, 853)), 400),
                "تقسيم القنديل",
                "يوسف العوّاد",
            ),
            "audio/mpeg",
            file_name="تقسيم القنديل.mp3",
            thumb=lambda: port.lanterns().crop((220, 0, 1073, 853)),
            media_type="audio_file",
            duration_seconds=17,
            performer="يوسف العوّاد",
            title="تقسيم القنديل",
        ),
    )
    channel.message(
        "2026-10-30 12:00",
        views=1505,
        media=poll(
            "أي كتاب نقرأ معًا في ديسمبر؟",
            [("رحلة ابن جبير", 140), ("طوق الحمامة", 188), ("كتاب البخلاء (بصوت عالٍ)", 205)],
        ),
    )
    shelf = channel.message(
        "2026-11-01 17:00",
        "الرف الثاني بعد الترتيب. سيبقى هكذا يومين، وهذه شهادة مصوّرة.",
        media=photo(port.bookshelf),
        author=SALMA[0],
        views=1820,
        reactions={"😁": 98, "❤": 71},
    )
    channel.message(
        "2026-11-02 10:00",
        "بقي يومًا واحدًا.",
        reply_to=shelf,
        author=SALMA[0],
        views=1604,
        reactions={"😁": 166},
        bridge=channel.quoting(shelf, "سيبقى هكذا يومين"),
    )
    channel.message(
        "2026-11-03 11:00",
        "قائمة الكتب المعارة، لمن نسي.",
        media=document("files/كتب معارة 📚.csv", lambda: _BOOKS.encode(), "text/csv", file_name="كتب معارة 📚.csv"),
        views=1020,
    )
    channel.message("2026-11-05 08:30", media=photo(port.tiles), views=1711, reactions={"😍": 88})
    mixed = "درس اليوم: كلمة algorithm أصلها الخوارزمي، وكلمة syrup أصلها شراب، وكلمة coffee… صبّوا واحدة وأخبركم."
    channel.message(
        "2026-11-07 09:15",
        plain(mixed),
        author=SALMA[0],
        views=1933,
        forwards=103,
        reactions={"🤓": 60, "❤": 90},
        bridge={
            "entities": [
                span(mixed, "درس اليوم: كلمة algorithm", "Bold"),
                span(mixed, "algorithm أصلها الخوارزمي", "Italic"),
                span(mixed, "الخوارزمي", "Underline"),
                span(mixed, "coffee", "Code"),
                span(mixed, "صبّوا واحدة وأخبركم", "Spoiler"),
            ]
        },
    )
    channel.message(
        "2026-11-10 21:00",
        "من بوابة الصحراء، حيث لا ميناء ولا قنديل، وحيث لا يضيع أحد لأن السماء خريطة. ",
        emoji("🌙", 5368324170671202301),
        media=photo(port.dunes_moon),
        views=2140,
        forwards=70,
        reactions={"❤": 200},
    )
    channel.message(
        "2026-11-12 13:00",
        "مقال طويل وجميل عن المقاهي التي كانت جامعات: https://example.org/cafes-as-universities",
        views=1330,
        media=preview(
            "https://example.org/cafes-as-universities",
            "حين كان المقهى جامعة",
            site_name="مجلة الرصيف",
            description="عن الحكواتي والجريدة المشتركة وفنجان يكفي لثلاث مناظرات.",
            scene=port.bookshelf,
        ),
    )
    channel.message(
        "2026-11-13 10:30", media=lambda _export, _moment: {"todo_list": _CHECKLIST}, views=1200, reactions={"👍": 39}
    )


def _letters(channel: Export) -> None:
    channel.message(
        "2026-11-16 18:40",
        bold("رسالة من شيراز"),
        " وصلتنا مع علبة سوهان، ننشرها كما هي:\n\n",
        quote(
            "سلمای عزیز، سلام.\nاین‌جا پاییز است و نارنج‌ها رسیده‌اند. کتابی را که "
            "فرستاده بودی سه بار خواندم؛ بار سوم بلند، برای مادربزرگم، که گفت: «این "
            "نویسنده حتماً چای خوب می‌نوشیده.»\nنیم‌فاصله‌ها را نشکن و قندیل را خاموش "
            "نکن.\nشیرین"
        ),
        "\n\nيا شيرين: لن نكسر شيئًا، ولن نطفئ شيئًا. والسوهان انتهى في ٤ دقائق.",
        author=SALMA[0],
        views=2310,
        forwards=88,
        reactions={"❤": 310, "😢": 20},
    )
    channel.message(
        "2026-11-18 09:10",
        "هذا من دفتر أصدقائنا في المنارة. قرأناه على الزبائن، فقام رجل كبير ووضع قنديلًا في النافذة "
        "ولم يقل شيئًا. ومنذئذ نتركه مضاءً.",
        author=SALMA[0],
        views=2044,
        reactions={"❤": 333},
        bridge={
            "reply_to": {"chat_id": LIGHTHOUSE, "message_id": 57, "from_name": "The Lighthouse Notebook"},
            "quote": {"text": "It is not for the tourists. It is in case."},
        },
    )
    channel.message(
        "2026-11-20 17:00",
        "#starlings — they do this for no reason that anybody has been able to prove.",
        forwarded_from="The Lighthouse Notebook",
        forwarded_from_id=f"channel{LIGHTHOUSE}",
        views=1505,
        reactions={"🤩": 66},
        media=document(
            "video_files/zarazir.mp4",
            lambda: ffmpeg.mp4(motion.murmuration(), quality=34),
            "video/mp4",
            file_name="زرازير.mp4",
            thumb=motion.murmuration_poster,
            size=(480, 270),
            media_type="animation",
            duration_seconds=4,
        ),
        bridge={
            "forward": {
                "channel_id": LIGHTHOUSE,
                "channel_post": 32,
                "post_author": TOMAS[0],
                "date": unix("2026-11-05 16:52"),
            }
        },
    )
    channel.message(
        "2026-11-20 17:04",
        "زرازير الشمال فوق القصب. يقول توماس إنها تفعل ذلك بلا سبب، ونقول نحن: وهل يحتاج الرقص إلى سبب؟",
        author=SALMA[0],
        views=1480,
        reactions={"❤": 98},
    )
    channel.message(
        "2026-11-22 08:00",
        "نحن هنا. الباب الأزرق، لا الباب الأزرق الآخر.",
        media=keys_only(
            place_name="مقهى القنديل",
            address="درج الزيتون ٧، الميناء القديم",
            location_information={"latitude": 35.7866, "longitude": -5.8102},
        ),
        views=1402,
    )
    channel.message(
        "2026-11-23 08:00",
        "للحجز وإرجاع الكتب بلا عتاب:",
        media=keys_only(
            contact_information={"first_name": "سلمى", "last_name": "الحداد", "phone_number": "+212 000 000 077"}
        ),
        views=1111,
    )
    channel.message(
        "2026-11-25 16:30",
        "برنامج أمسيات الشتاء. ادخلوا بلا تذكرة واخرجوا بكتاب.",
        views=1490,
        bridge={
            "keyboard": [
                [{"text": "📅 البرنامج", "url": "https://example.org/qandil/winter"}],
                [{"text": "احجز طاولة", "url": "https://example.org/qandil/table?n=2&q=نافذة"}],
            ]
        },
    )
    channel.message(
        "2026-11-27 20:00",
        "دعوة قديمة وجدناها في كتاب، مؤرخة سنة ١٣٤٩. الحبر ما زال حيًّا.",
        author=SALMA[0],
        views=1300,
        reactions={"❤": 120},
        media=document(
            "files/دعوة قديمة.png",
            lambda: papers.png(port.invitation()),
            "image/png",
            file_name="دعوة قديمة.png",
            thumb=port.invitation,
            size=(900, 640),
        ),
    )
    channel.album(
        "2026-11-28 18:00",
        [
            photo(detail(port.old_port, 500, 300, 1280, 853)),
            photo(bay.harbour),
            photo(detail(port.lanterns, 560, 30, 1100, 800)),
        ],
        "ميناءان ونافذة: ميناؤنا، وميناء أصدقائنا في الشمال كما رسموه لنا، والنافذة التي بينهما.",
        views=1760,
        reactions={"❤": 155},
    )
    channel.message(
        "2026-11-30 19:30",
        "سألني طفل: من يطفئ القنديل إذا نام الجميع؟ قلت: لا أحد. قال: إذن متى ينام القنديل؟ ",
        spoiler("ما زلت أفكر في الجواب."),
        " ",
        piece("hashtag", "#القنديل"),
        " ",
        link("اتركوا جوابًا", "https://t.me/demo_harbour_talk"),
        author=SALMA[0],
        views=520,
        forwards=33,
        reactions={"❤": 201},
    )
