"""What can go wrong between the bridge and Telegram, and what readers get: method x fault x answer and recovery.

Data only. `METHODS` has a row for each call that the bridge makes, `FAULTS` one for each way in which a call goes
wrong; `cells()` joins every method with all the faults that can come out of it. `fault_matrix_lane.py` provokes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, StrEnum

from tgserver.faults import Action, Fault

# The service's patience with a call, in seconds.
CALL_TIMEOUT = 3
# An answer takes no longer than the call that goes wrong and this, on a busy machine.
SLACK = 8.0

# How long the bridge takes Telegram's word, in seconds of its own clock: for what is refused, what was not answered,
# and a file that could not be had.
REFUSED = 60
UNANSWERED = 30
FILE_PAUSE = 60
# The same for a file whose post is gone.
LOST_POST = 86_400
# A file that does not come is asked for again for so long, in seconds.
FILE_PATIENCE = 5


class Topic(Enum):
    """What a call names. Most refusals are about one of these, so they come only out of calls that name it."""

    USERNAME = "a username"
    CHANNEL = "a channel"
    GROUP = "a basic group"
    USER = "a user"
    INVITATION = "an invitation"
    POSTS = "posts"
    THREAD = "a topic or comments"
    FILE = "a file"
    APPLICATION = "the application"


class Subject(StrEnum):
    """What a reader asks for."""

    CHANNEL = "a channel by name"
    CHANNEL_ID = "a channel by id"
    INVITATION = "a channel by invitation"
    GROUP = "a basic group"
    PERSON = "a private chat by name"
    PERSON_ID = "a private chat by id"
    TOPIC = "a topic of a forum"
    COMMENTS = "the comments on a post"


class Route(StrEnum):
    """Where a reader asks."""

    FEED = "feed"
    PAGE = "page"
    POST = "post"
    FILE = "file"


class When(StrEnum):
    """When the bridge makes a call."""

    ASKED = "asked"
    """Whenever a reader asks for what is not stored."""
    ONCE = "once"
    """Once in the life of a connection, for a reader."""
    CONNECTING = "connecting"
    """While it connects, whether anybody asks or not."""


@dataclass(frozen=True, slots=True)
class Method:
    """A call, and what it takes to have the bridge make it.

    `routes` are those that need it for a `subject` that was never read. `stored`: a feed whose stored history is out of
    date needs it, too. `second_way`: if the subject is not found by it, it is looked for in the dialogs. `remembers`:
    whether a fault of it is the answer for a while. `extra`: what it tells can be done without. `dc_id` is where it is
    made.
    """

    name: str
    topics: frozenset[Topic]
    subject: Subject
    routes: tuple[Route, ...]
    when: When = When.ASKED
    stored: bool = False
    second_way: bool = False
    remembers: bool = True
    extra: bool = False
    dc_id: int = 2
    media: bool = False

    @property
    def id(self) -> str:
        """The method's name in a test's id."""
        place = "" if self.dc_id == 2 else f" at DC {self.dc_id}"
        return f"{self.name}{place}{' of a start' if self.when is When.CONNECTING else ''}"


READING = (Route.FEED, Route.PAGE, Route.POST)
HISTORY = (Route.FEED, Route.PAGE)
NOTHING: frozenset[Topic] = frozenset()

METHODS = (
    # A username, its channel, its posts.
    Method("contacts.resolveUsername", frozenset({Topic.USERNAME}), Subject.CHANNEL, READING, stored=True),
    Method("channels.getFullChannel", frozenset({Topic.CHANNEL}), Subject.CHANNEL, READING, stored=True, extra=True),
    Method("messages.getHistory", frozenset({Topic.CHANNEL}), Subject.CHANNEL, HISTORY, stored=True),
    Method(
        "channels.getMessages",
        frozenset({Topic.CHANNEL, Topic.POSTS}),
        Subject.CHANNEL,
        (Route.POST, Route.FILE),
        remembers=False,
    ),
    # Other ways to name a chat, other kinds of chats.
    Method("channels.getChannels", frozenset({Topic.CHANNEL}), Subject.CHANNEL_ID, READING, second_way=True),
    Method("messages.getDialogs", NOTHING, Subject.CHANNEL_ID, READING, When.ONCE),
    Method("messages.checkChatInvite", frozenset({Topic.INVITATION}), Subject.INVITATION, HISTORY),
    Method("messages.getChats", frozenset({Topic.GROUP}), Subject.GROUP, READING, second_way=True),
    Method("messages.getFullChat", frozenset({Topic.GROUP}), Subject.GROUP, READING, stored=True, extra=True),
    Method("messages.getMessages", frozenset({Topic.POSTS}), Subject.GROUP, (Route.POST,), remembers=False),
    Method("users.getFullUser", frozenset({Topic.USER}), Subject.PERSON, READING, stored=True, extra=True),
    Method("users.getUsers", frozenset({Topic.USER}), Subject.PERSON_ID, READING, second_way=True),
    # Topics and comments.
    Method(
        "messages.getForumTopicsByID", frozenset({Topic.CHANNEL, Topic.THREAD}), Subject.TOPIC, HISTORY, stored=True
    ),
    Method(
        "messages.getDiscussionMessage",
        frozenset({Topic.CHANNEL, Topic.THREAD}),
        Subject.COMMENTS,
        HISTORY,
        stored=True,
    ),
    Method("messages.getReplies", frozenset({Topic.CHANNEL, Topic.THREAD}), Subject.COMMENTS, HISTORY, stored=True),
    # Files, here and at another data center.
    Method("upload.getFile", frozenset({Topic.FILE}), Subject.CHANNEL, (Route.FILE,), media=True),
    Method("upload.getFile", frozenset({Topic.FILE}), Subject.CHANNEL, (Route.FILE,), dc_id=4, media=True),
    Method("auth.exportAuthorization", NOTHING, Subject.CHANNEL, (Route.FILE,), When.ONCE),
    Method("auth.importAuthorization", NOTHING, Subject.CHANNEL, (Route.FILE,), When.ONCE, dc_id=4, media=True),
    Method("help.getConfig", NOTHING, Subject.CHANNEL, (Route.FILE,), When.ONCE),
    # The connection.
    Method("ping", NOTHING, Subject.CHANNEL, HISTORY, When.CONNECTING, stored=True),
    Method("initConnection", frozenset({Topic.APPLICATION}), Subject.CHANNEL, HISTORY, When.CONNECTING, stored=True),
    Method("updates.getState", NOTHING, Subject.CHANNEL, HISTORY, When.CONNECTING, stored=True),
    Method("users.getUsers", NOTHING, Subject.CHANNEL, HISTORY, When.CONNECTING, stored=True),
)


class Kind(StrEnum):
    """Faults that the bridge treats alike."""

    FLOOD = "flood"
    TELEGRAM = "telegram's own"
    UNKNOWN = "unknown"
    PRIVATE = "private"
    NOT_FOUND = "not found"
    NO_POST = "no post"
    NO_THREAD = "no topic, no comments"
    UNANSWERED = "unanswered"
    HALF_OPEN = "half-open"
    LINE = "line"
    BLIP = "blip"
    KEY = "key unknown"
    LOGGED_OUT = "logged out"
    FILE_GONE = "file gone"
    BAD_PART = "bad part"


@dataclass(frozen=True, slots=True)
class Row:
    """A fault: how it is provoked, and what follows wherever it comes out of a call.

    `words` finish the sentence "a call that ...". `times` None: as long as it lasts. `about`: it comes only out of
    calls that name this (None: out of any). `status` is what readers get, with a Retry-After of at most `retry_after`
    seconds (0: none). `stale`: the reason why a stored history is served instead ("": it is not). `state` is that of
    the connection while the fault lasts, `log` a line that the log then has. `heals` is for how many seconds after
    the fault has ended it may still be felt, beyond what is remembered of it. `another`: it is one more spelling of a
    row above, so it is provoked with one method, each such row with the next one; all other rows are with every method.
    """

    words: str
    kind: Kind
    action: Action
    status: int
    error: str = ""
    code: int | None = None
    times: int | None = None
    about: Topic | None = None
    retry_after: int = 0
    stale: str = ""
    state: str = "ready"
    heals: float = SLACK
    log: str = ""
    another: bool = False

    def provoke(self, method: Method) -> Fault:
        """The fault as the server is told of it."""
        return Fault(self.action, method.name, self.times, error=self.error, code=self.code, dc_id=method.dc_id)


def _flood(error: str, *, another: bool = False) -> Row:
    words = f"is answered with {error}"
    return Row(words, Kind.FLOOD, Action.ERROR, 429, error=error, retry_after=2, stale="flood-wait", another=another)


def _unavailable(error: str, code: int, kind: Kind, retry_after: int, log: str = "", *, another: bool = False) -> Row:
    return Row(
        f"is answered with {code} {error}",
        kind,
        Action.ERROR,
        503,
        error=error,
        code=code,
        retry_after=retry_after,
        stale="unavailable",
        log=log,
        another=another,
    )


def _refused(error: str, about: Topic, kind: Kind, code: int = 400, *, another: bool = False) -> Row:
    status = 403 if kind is Kind.PRIVATE else 404
    words = f"is answered with {code} {error}"
    return Row(words, kind, Action.ERROR, status, error=error, code=code, about=about, another=another)


def _logged_out(
    error: str, code: int, state: str, log: str, about: Topic | None = None, *, another: bool = False
) -> Row:
    return Row(
        f"is answered with {code} {error}",
        Kind.LOGGED_OUT,
        Action.ERROR,
        503,
        error=error,
        code=code,
        about=about,
        retry_after=300,
        stale="unavailable",
        state=state,
        # The session file is looked at each second, and a connection is made.
        heals=2 * SLACK,
        log=log,
        another=another,
    )


REVOKED = "Telegram does not accept the session any more"
BANNED = "Telegram has banned or deleted the account"
BAD_API = "Telegram refuses TG_API_ID with TG_API_HASH"

FAULTS = (
    _flood("FLOOD_WAIT_1"),
    _flood("FLOOD_PREMIUM_WAIT_1", another=True),
    _flood("SLOWMODE_WAIT_1", another=True),
    # Telegram's own troubles.
    _unavailable("RPC_CALL_FAIL", 500, Kind.TELEGRAM, 36),
    _unavailable("SOMETHING_BROKE", 500, Kind.TELEGRAM, 36, another=True),
    _unavailable("TIMEOUT", -503, Kind.TELEGRAM, 36, another=True),
    _unavailable("USER_MIGRATE_4", 303, Kind.TELEGRAM, 36, another=True),
    _unavailable("FROZEN_METHOD_INVALID", 420, Kind.TELEGRAM, 300, another=True),
    # What the bridge has never heard of.
    _unavailable("SOMETHING_NEW", 400, Kind.UNKNOWN, 72, log="Telegram refused "),
    _unavailable("SOMETHING_ELSE", 777, Kind.UNKNOWN, 72, log="Telegram refused ", another=True),
    # An answer that is none.
    Row(
        "is answered with something else",
        Kind.UNKNOWN,
        Action.WRONG_TYPE,
        503,
        retry_after=72,
        stale="unavailable",
        log="can't be understood",
    ),
    Row(
        "is answered with what this schema does not have",
        Kind.UNKNOWN,
        Action.UNKNOWN_TYPE,
        503,
        retry_after=72,
        stale="unavailable",
        log="can't be understood",
        another=True,
    ),
    Row(
        "is answered with damaged bytes",
        Kind.UNKNOWN,
        Action.DAMAGED,
        503,
        retry_after=72,
        stale="unavailable",
        log="can't be understood",
        another=True,
    ),
    # What is not there, or not for this account.
    _refused("CHANNEL_PRIVATE", Topic.CHANNEL, Kind.PRIVATE),
    _refused("CHANNEL_PRIVATE", Topic.CHANNEL, Kind.PRIVATE, 406),
    _refused("CHANNEL_INVALID", Topic.CHANNEL, Kind.NOT_FOUND),
    _refused("USERNAME_NOT_OCCUPIED", Topic.USERNAME, Kind.NOT_FOUND),
    _refused("USERNAME_INVALID", Topic.USERNAME, Kind.NOT_FOUND),
    _refused("INVITE_HASH_EXPIRED", Topic.INVITATION, Kind.NOT_FOUND),
    _refused("CHAT_ID_INVALID", Topic.GROUP, Kind.NOT_FOUND),
    _refused("USER_ID_INVALID", Topic.USER, Kind.NOT_FOUND),
    _refused("MSG_ID_INVALID", Topic.POSTS, Kind.NO_POST),
    _refused("MSG_ID_INVALID", Topic.THREAD, Kind.NO_THREAD),
    _refused("TOPIC_ID_INVALID", Topic.THREAD, Kind.NO_THREAD, another=True),
    _refused("CHANNEL_FORUM_MISSING", Topic.THREAD, Kind.NO_THREAD, another=True),
    _refused("TOPIC_DELETED", Topic.THREAD, Kind.NO_THREAD, 406, another=True),
    _refused("FILE_ID_INVALID", Topic.FILE, Kind.FILE_GONE),
    # A reference that a new one does not replace.
    _refused("FILE_REFERENCE_EXPIRED", Topic.FILE, Kind.FILE_GONE),
    # What readers do not notice.
    Row("drops the line once", Kind.BLIP, Action.DROP, 200, times=1),
    Row(
        "is answered with transport error -429 once",
        Kind.BLIP,
        Action.TRANSPORT_ERROR,
        200,
        code=-429,
        times=1,
        another=True,
    ),
    Row(
        "is answered with transport error -444 once",
        Kind.BLIP,
        Action.TRANSPORT_ERROR,
        200,
        code=-444,
        times=1,
        another=True,
    ),
    Row("has a bad salt", Kind.BLIP, Action.BAD_SALT, 200, times=1),
    Row(
        "has a file reference that expired",
        Kind.BLIP,
        Action.ERROR,
        200,
        error="FILE_REFERENCE_EXPIRED",
        times=1,
        about=Topic.FILE,
    ),
    Row("gets a short part once", Kind.BLIP, Action.SHORT_PART, 200, times=1, about=Topic.FILE),
    Row("gets an empty part once", Kind.BLIP, Action.EMPTY_PART, 200, times=1, about=Topic.FILE),
    Row("gets a part that is too long once", Kind.BLIP, Action.LONG_PART, 200, times=1, about=Topic.FILE),
    # The line.
    Row("hangs", Kind.UNANSWERED, Action.HANG, 504, retry_after=36, stale="timeout"),
    Row(
        "finds the line half-open",
        Kind.HALF_OPEN,
        Action.SILENCE,
        504,
        times=1,
        retry_after=36,
        stale="timeout",
        # Noticed 10 s after the last byte.
        heals=20,
    ),
    Row("drops the line", Kind.LINE, Action.DROP, 503, retry_after=36, stale="unavailable", heals=20),
    Row(
        "is answered with transport error -429",
        Kind.LINE,
        Action.TRANSPORT_ERROR,
        503,
        code=-429,
        retry_after=36,
        stale="unavailable",
        heals=20,
        another=True,
    ),
    Row("never gets a salt right", Kind.TELEGRAM, Action.BAD_SALT, 503, retry_after=36, stale="unavailable"),
    Row("gets short parts", Kind.BAD_PART, Action.SHORT_PART, 503, about=Topic.FILE, retry_after=72),
    Row("gets parts that are too long", Kind.BAD_PART, Action.LONG_PART, 503, about=Topic.FILE, retry_after=72),
    Row("gets empty parts", Kind.FILE_GONE, Action.EMPTY_PART, 404, about=Topic.FILE),
    # The login.
    _logged_out("AUTH_KEY_UNREGISTERED", 401, "revoked", REVOKED),
    _logged_out("SESSION_REVOKED", 401, "revoked", REVOKED, another=True),
    _logged_out("SESSION_EXPIRED", 401, "revoked", REVOKED, another=True),
    _logged_out("SOMETHING_NEW", 401, "revoked", REVOKED, another=True),
    _logged_out("USER_DEACTIVATED", 401, "banned", BANNED, another=True),
    _logged_out("USER_DEACTIVATED_BAN", 401, "banned", BANNED, another=True),
    _logged_out("AUTH_KEY_DUPLICATED", 406, "revoked", REVOKED, another=True),
    _logged_out("API_ID_INVALID", 400, "bad_api", BAD_API, Topic.APPLICATION),
    Row(
        "is answered with transport error -404",
        Kind.KEY,
        Action.TRANSPORT_ERROR,
        503,
        code=-404,
        retry_after=36,
        stale="unavailable",
        heals=20,
    ),
)


# The line ends with these.
LOSSES = frozenset({Kind.LINE, Kind.KEY})
# Nothing reaches a connection that does not stand.
OUT_OF_REACH = frozenset({"connecting", "unavailable"})


@dataclass(frozen=True, slots=True)
class Cell:
    """One method with one fault, and by rule what has to come of it."""

    method: Method
    row: Row

    @property
    def id(self) -> str:
        """A sentence."""
        outcome = "nobody notices" if self.status == 200 else f"readers get {self.status}"
        return f"{self.method.id} {self.row.words}: {outcome}"

    @property
    def connecting(self) -> bool:
        """Whether the fault keeps the bridge from connecting."""
        return self.method.when is When.CONNECTING

    @property
    def ends_login(self) -> bool:
        """Whether it is met again when the bridge connects anew, so that the word is taken. A start asks for these."""
        return self.row.kind is Kind.KEY and (self.connecting or self.method.name == "help.getConfig")

    @property
    def status(self) -> int:
        """What readers of what was never read get."""
        if self.row.kind is Kind.NOT_FOUND and self.method.second_way:
            return 200
        if self.row.kind is Kind.FLOOD:
            # A pause of this call alone: a feed without a description is better than none.
            return 200 if self.method.extra else 429
        return 503 if self.connecting and self.row.status != 200 else self.row.status

    @property
    def statuses(self) -> frozenset[int]:
        """What readers may get. A file is asked for again for some seconds, so the fault that comes last is told."""
        if Route.FILE in self.method.routes and self.row.kind in LOSSES:
            return frozenset({503, 504})
        if Route.FILE in self.method.routes and self.row.kind is Kind.HALF_OPEN:
            # A connection for files alone may have been replaced by then.
            return frozenset({200, 503, 504})
        if self.method.name == "help.getConfig" and self.status == 504:
            # It is asked for after another failure, which may be what is told.
            return frozenset({503, 504})
        if self.connecting and self.status == 429:
            # Nobody is connected yet before Telegram asks for the pause.
            return frozenset({429, 503})
        return frozenset({self.status})

    @property
    def retry_after(self) -> int:
        """The longest that Retry-After may be, 0 if there must be none."""
        if self.status in {200, 403, 404}:
            return 0
        pause = FILE_PAUSE * 12 // 10 if self.connecting or Route.FILE in self.method.routes else 0
        return 300 if self.ends_login else max(self.row.retry_after, pause)

    @property
    def stale(self) -> frozenset[str]:
        """Why readers of what is stored get that; empty if they get what is new, or what those without get."""
        reasons = {self.row.stale, "unavailable"} if self.connecting else {self.row.stale}
        return frozenset(reasons - {""}) if self.status != 200 and self.row.stale else frozenset()

    @property
    def stored_age(self) -> bool:
        """Whether what is stored is as old as it was, not only what is known of its channel."""
        return self.connecting or self.method.name in {"messages.getHistory", "messages.getReplies"}

    @property
    def states(self) -> frozenset[str]:
        """What the connection's state may be while the fault lasts."""
        if self.row.state != "ready" and not self.method.media:
            return frozenset({self.row.state})
        if self.connecting and self.row.kind is Kind.KEY:
            # Said twice in a row, it is believed.
            return frozenset({"revoked"})
        if self.connecting and self.status != 200:
            return OUT_OF_REACH
        if self.row.kind is Kind.KEY and not self.method.media:
            return OUT_OF_REACH | {"ready"} | ({"revoked"} if self.ends_login else set())
        return frozenset({"ready", "unavailable"} if self.row.kind is Kind.LINE else {"ready"})

    def remembered(self, route: Route) -> int:
        """For how long the answer stays what it is though the fault is over, by the bridge's clock (s)."""
        kind = self.row.kind
        # A login at another data center is the bridge's own affair.
        files_alone = self.method.name == "upload.getFile" and self.method.dc_id == 4
        files_alone = files_alone or (self.method.media and self.row.action is Action.TRANSPORT_ERROR)
        logged_out = kind is Kind.LOGGED_OUT and not files_alone
        if self.connecting or self.status == 200 or kind is Kind.FLOOD or logged_out:
            return 0
        if route is Route.FILE:
            if kind is Kind.NO_POST:
                return LOST_POST
            return FILE_PAUSE if kind is Kind.FILE_GONE or self.method.name != "channels.getMessages" else 0
        if not self.method.remembers:
            return 0
        return {
            Kind.PRIVATE: REFUSED,
            Kind.NOT_FOUND: REFUSED,
            Kind.NO_THREAD: REFUSED,
            Kind.UNANSWERED: UNANSWERED,
            Kind.HALF_OPEN: UNANSWERED,
        }.get(kind, 0)

    @property
    def patience(self) -> float:
        """How long an answer may take (s). A file that does not come is asked for again, for a while."""
        return CALL_TIMEOUT + SLACK + (2 * FILE_PATIENCE if Route.FILE in self.method.routes else 0)

    @property
    def log(self) -> str:
        """A line that the log has."""
        if self.row.kind in {Kind.LOGGED_OUT, Kind.KEY} and self.method.media:
            return "Media file "
        return REVOKED if self.row.kind is Kind.KEY and self.connecting else self.row.log

    @property
    def heals(self) -> float:
        """How long after its end the fault may still be felt, beyond what is remembered (s)."""
        # The pauses between attempts to connect have grown meanwhile.
        return self.row.heals + (10 if self.connecting else 0)


def cells() -> Iterator[Cell]:
    """Every method with every fault that can come out of it."""
    turn = 0
    for row in FAULTS:
        methods = [method for method in METHODS if row.about is None or row.about in method.topics]
        if row.another:
            methods = [methods[turn % len(methods)]]
            turn += 1
        for method in methods:
            yield Cell(method, row)
