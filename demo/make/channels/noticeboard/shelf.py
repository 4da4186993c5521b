"""The noticeboard's files: each written once, and shown by as many notices as like it."""

from __future__ import annotations

from itertools import islice

from PIL import Image

from demo.make import ffmpeg, motion, sounds, stickers
from demo.make.export import Export, Media
from demo.make.markup import Json
from demo.make.media import Scene, jpeg, stripped
from demo.make.papers import archive, png
from demo.make.scenes import bay, coast, hill, north, town

_PICTURE_SIDE, _PICTURE_QUALITY = 560, 66
_FILM_SIZE = (320, 180)
_FRAMES = 50

# Pictures by name; those of one album are parts of one scene.
_SCENES: dict[str, Scene] = {
    "dawn": coast.lighthouse_dawn,
    "harbour": bay.harbour,
    "bread": town.bread,
    "aurora": north.aurora,
}


class Shelf:
    """The files of an export by name: as the media of a message, and as what TL objects name."""

    def __init__(self, export: Export) -> None:
        self._export = export
        self.photos: dict[str, Json] = {}
        self.files: dict[str, Json] = {}
        for name, scene in _SCENES.items():
            self._picture(name, scene())
        self._tall_and_wide()
        self._films()
        self._sounds()
        self._stickers()
        self._papers()

    def photo(self, name: str, **keys: object) -> Media:
        """A photo as a message's media, with further keys of the export."""
        return lambda _export, _moment: self.photos[name] | keys

    def file(self, name: str, **keys: object) -> Media:
        """A file as a message's media, with further keys of the export."""
        return lambda _export, _moment: self.files[name] | keys

    def path(self, name: str) -> str:
        """Where a photo lies, for TL objects."""
        return str(self.photos[name]["photo"])

    def tiles(self) -> list[Media]:
        """Ten photos, as many as an album holds, of all shapes."""
        return [self.photo(name) for name in self.photos if name.startswith("tile")]

    def _picture(self, name: str, picture: Image.Image) -> None:
        picture.thumbnail((_PICTURE_SIDE, _PICTURE_SIDE), Image.Resampling.LANCZOS)
        content = jpeg(picture, _PICTURE_QUALITY)
        place = self._export.put(f"photos/{name}.jpg", content)
        keys: Json = {"photo": place, "photo_file_size": len(content)}
        keys |= {"width": picture.width, "height": picture.height}
        self.photos[name] = keys | {"bridge": {"stripped": stripped(picture)}}

    def _tall_and_wide(self) -> None:
        roofs = hill.rooftops()
        self._picture("wide", roofs.crop((0, roofs.height // 2, roofs.width, roofs.height // 2 + roofs.width // 6)))
        self._picture("tall", roofs.crop((roofs.width // 2, 0, roofs.width // 2 + roofs.height // 3, roofs.height)))
        small = bay.pebbles()
        small.thumbnail((900, 900), Image.Resampling.LANCZOS)
        for number in range(10):
            left, top = (number % 5) * 170, (number // 5) * 230
            wide, high = ((200, 200), (240, 150), (150, 220))[number % 3]
            self._picture(f"tile{number}", small.crop((left, top, left + wide, top + high)))

    def _films(self) -> None:
        waves = (frame.resize(_FILM_SIZE) for frame in islice(motion.storm_waves(), _FRAMES))
        film = ffmpeg.mp4(waves, quality=34)
        poster = motion.storm_poster().resize(_FILM_SIZE)
        self._file("wave", "video_files/wave.mp4", film, "video/mp4", size=_FILM_SIZE, poster=poster)
        self.files["wave"] |= {"media_type": "video_file", "duration_seconds": 2}
        self.files["gif"] = self.files["wave"] | {"media_type": "animation", "file_name": "wave.gif.mp4"}
        port = (frame.resize((240, 240)) for frame in islice(motion.porthole(), _FRAMES))
        keys: Json = {"media_type": "video_message", "duration_seconds": 2}
        window = ffmpeg.mp4(port, quality=34)
        poster = motion.porthole_poster().resize((240, 240))
        self._file(
            "window", "round_video_messages/window.mp4", window, "video/mp4", size=(240, 240), poster=poster, **keys
        )

    def _sounds(self) -> None:
        voice = ffmpeg.ogg(sounds.sea_swell(3))
        self._file("voice", "voice_messages/swell.ogg", voice, "audio/ogg")
        self.files["voice"] |= {"media_type": "voice_message", "duration_seconds": 3}
        bell = coast.lens().crop((200, 200, 600, 600)).resize((240, 240))
        tune = ffmpeg.mp3(sounds.sea_swell(4), jpeg(bell, 60), "Low Water", "The Saltmere Trio")
        self._file("tune", "files/low_water.mp3", tune, "audio/mpeg", poster=bell, file_name="low_water.mp3")
        more: Json = {"media_type": "audio_file", "duration_seconds": 4}
        self.files["tune"] |= more | {"title": "Low Water", "performer": "The Saltmere Trio"}

    def _stickers(self) -> None:
        self._file("seal", "stickers/seal.webp", stickers.seal_webp(), "image/webp", size=(512, 512))
        # Half of its frames are enough for a wave.
        greeting = ffmpeg.webm(islice(stickers.seal_frames(), _FRAMES // 2))
        poster = stickers.seal_poster().resize((256, 256))
        self._file("greeting", "stickers/greeting.webm", greeting, "video/webm", size=(512, 512), poster=poster)
        star = stickers.star_poster().resize((256, 256))
        self._file(
            "star", "stickers/star.tgs", stickers.star_tgs(), "application/x-tgsticker", size=(512, 512), poster=star
        )
        for name, emoji in (("seal", "🦭"), ("greeting", "👋"), ("star", "⭐")):
            self.files[name] |= {"media_type": "sticker", "sticker_emoji": emoji}

    def _papers(self) -> None:
        rules = "1. One notice each.\n2. Nothing about engines.\n3. Take your pins with you.\n"
        long_name = f"{'rules-of-the-noticeboard-' * 5}final-2-really-final.txt"
        self._file("rules", "files/rules.txt", rules.encode(), "text/plain", file_name=long_name)
        self._file(
            "pins", "files/pins.zip", archive({"pins.txt": "414 pins\n"}), "application/zip", file_name="pins.zip"
        )
        plan = png(town.tide_chart().resize((480, 270)))
        self._file("plan", "files/plan.png", plan, "image/png", size=(480, 270), file_name="plan.png")

    def _file(
        self,
        name: str,
        place: str,
        content: bytes,
        mime_type: str,
        *,
        size: tuple[int, int] | None = None,
        poster: Image.Image | None = None,
        **keys: object,
    ) -> None:
        entry: Json = {"file": self._export.put(place, content), "file_size": len(content), "mime_type": mime_type}
        if poster is not None:
            thumb = jpeg(poster, 60)
            path = self._export.put(f"{place}_thumb.jpg", thumb)
            entry |= {"thumbnail": path, "thumbnail_file_size": len(thumb)}
        if size is not None:
            entry |= {"width": size[0], "height": size[1]}
        self.files[name] = entry | keys
