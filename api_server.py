"""The service: builds every object, starts and stops them in order."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import uvloop
from fastapi import FastAPI

from allocator import keep_little
from config import Settings, SettingsError, load_settings
from errors import StorageError
from feeds.page import content_security_policy, render_error_page
from feeds.page import load as load_pages
from history.subscriptions import SubscriptionList
from http_server import create_server, listen
from media_cache.cache import MediaCache
from media_cache.pace import TimeLimits
from media_cache.signing import MediaSigner, load_signing_key
from media_cache.sweeper import CacheLimits
from media_cache.warmer import SWITCHED_OFF, ShownFile, Warmer
from posts.grouping import makes_no_post
from routes.admission import Admission
from routes.auth import Authenticator
from routes.channels import ChannelDocuments
from routes.combined import CombinedDocuments
from routes.document_cache import DocumentCache
from routes.errors import ErrorAnswers, FaultGuard
from routes.favicon import favicon_router
from routes.feed_keys import FeedKeys
from routes.feeds import feed_router
from routes.folders import Folders
from routes.health import HealthSources, health_router
from routes.media import media_router
from routes.opml import opml_router
from routes.origin import Origin
from routes.post_files import PostFiles
from routes.posts import post_router
from routes.rendering import Renderer, RenderSettings
from routes.single_posts import PostDocuments
from routes.status import status_router
from storage.database import Database
from storage.flood_store import FloodStore
from storage.gone_store import GoneStore
from storage.media_store import MediaStore
from storage.process_lock import claim_folder
from storage.schema import MIGRATIONS
from supervisor import Supervisor
from telegram.flood_memory import FloodMemory
from telegram.flood_rules import DOWNLOADS, FLOOD_RULES
from telegram.options import options_from
from telegram_client import TelegramClient
from tg_cache import History, Patience
from tg_throttle import RpcGate

if TYPE_CHECKING:
    from pyrogram.connection import Connection as TCPConnection

log = logging.getLogger(__name__)

# A thread that renders gives the interpreter back this often (seconds). An answer takes several turns of the event
# loop, and each of them waits so long.
SWITCH_INTERVAL = 0.0002
RENDER_THREADS = 1
DOCUMENT_CACHE_BYTES = 8 * 2**20
PATIENCE = Patience()
MEGABYTE = 10**6
GIGABYTE = 10**9
# The exit code of a process that ended itself because it could not restore its connection (EX_SOFTWARE of sysexits.h).
EXIT_GAVE_UP = 70
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def create_app(
    settings: Settings,
    *,
    connection_factory: type[TCPConnection] | None = None,
    give_up: Callable[[], None] = lambda: None,
    clock: Callable[[], float] = time.time,
) -> FastAPI:
    """The whole service as an ASGI application; every object is built here and in `_running`.

    `connection_factory` replaces the way to Telegram's data centers (tests only). `give_up` is called when the
    connection to Telegram can't be restored without a new process. By `clock` (unix seconds) what is stored grows old
    and what was refused may be asked for again. The application's lifespan raises StorageError if the data folder
    can't be used.
    """
    answers = ErrorAnswers(
        lambda status, reason, home_url: render_error_page(status, reason, home_url=home_url).body,
        {"Content-Security-Policy": content_security_policy()},
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with _running(app, settings, connection_factory, give_up, clock):
            yield

    app = FastAPI(
        title="Telegram bridge",
        lifespan=lifespan,
        # The framework's redirects believe any Host, and repeat tokens.
        redirect_slashes=False,
        docs_url="/docs" if settings.debug else None,
        openapi_url="/openapi.json" if settings.debug else None,
        redoc_url=None,
        # Nobody collects it here, and looking for who might costs time at each request.
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    answers.install(app)
    app.add_middleware(FaultGuard, answers=answers)
    return app


@asynccontextmanager
async def _running(
    app: FastAPI,
    settings: Settings,
    connection_factory: type[TCPConnection] | None,
    give_up: Callable[[], None],
    clock: Callable[[], float],
) -> AsyncIterator[None]:
    """Build the floors from the bottom up, start them, add their routes; at the end stop them in reverse."""
    keep_little()
    sys.setswitchinterval(SWITCH_INTERVAL)
    # The loop ends its default executor itself.
    threads = ThreadPoolExecutor(settings.io_thread_pool_size, thread_name_prefix="work")
    asyncio.get_running_loop().set_default_executor(threads)
    async with AsyncExitStack() as stack:
        stack.callback((await claim_folder(settings.data_path)).release)
        secret = settings.media_signing_secret.get_secret_value()
        key = await asyncio.to_thread(load_signing_key, settings.data_path, secret)
        signer = MediaSigner(key, settings.pyrogram_bridge_url, settings.media_url_ttl_days)
        database = await Database.open(settings.data_path / "bridge.db", MIGRATIONS)
        stack.push_async_callback(database.close)
        rendering = ThreadPoolExecutor(RENDER_THREADS, thread_name_prefix="render")
        stack.callback(rendering.shutdown, wait=False, cancel_futures=True)
        gate = RpcGate(
            concurrency=settings.tg_rpc_concurrency,
            min_interval=settings.tg_rpc_min_interval_ms / 1000,
            timeout=settings.tg_rpc_timeout,
            rules=FLOOD_RULES,
        )
        floods = FloodMemory(gate, FloodStore(database))
        await floods.recall()
        stack.push_async_callback(floods.flush)
        telegram = TelegramClient(options_from(settings), gate, connection_factory=connection_factory)
        stack.push_async_callback(telegram.stop)
        history = History(
            database,
            telegram,
            history_ttl=settings.history_cache_ttl_minutes * 60,
            channel_ttl=settings.tg_chat_cache_ttl_hours * 3600,
            is_noise=makes_no_post,
            patience=PATIENCE,
            queue_wait=gate.expected_wait,
            clock=clock,
        )
        subscriptions = SubscriptionList(
            database, telegram, patience=PATIENCE, queue_wait=gate.expected_wait, clock=clock
        )
        media = MediaCache(
            settings.data_path / "media",
            MediaStore(database),
            GoneStore(database),
            telegram,
            max_parallel=settings.tg_max_concurrent_transmissions,
            time_limits=TimeLimits(
                least=settings.media_download_timeout_min,
                most=settings.media_download_timeout_max,
                min_speed=settings.media_download_min_speed,
            ),
            cache_limits=CacheLimits(
                ttl_days=settings.media_cache_ttl_days, most_bytes=int(settings.media_cache_max_gb * GIGABYTE)
            ),
            now=clock,
        )
        stack.push_async_callback(media.close)
        supervisor = Supervisor()
        stack.push_async_callback(supervisor.stop)
        files = PostFiles(history)
        warmer = Warmer(
            media,
            files.renew_in_background,
            partial(gate.check, DOWNLOADS),
            most_file_bytes=settings.media_warm_max_mb * MEGABYTE,
        )
        _add_routes(
            app,
            settings,
            database,
            gate,
            telegram,
            history,
            subscriptions,
            files,
            media,
            warmer if settings.media_warm else None,
            signer,
            FeedKeys(key),
            rendering,
            supervisor,
        )
        app.state.turn_away = telegram.turn_away

        def forget_failures() -> None:
            media.forget_failures()
            history.forget_failures()

        telegram.on_ready = forget_failures
        telegram.on_give_up = give_up
        media.on_ended = telegram.note_download
        await telegram.start()
        rendering.submit(load_pages)
        supervisor.start("flood memory", floods.keep_forever)
        supervisor.start("media preparation", media.prepare)
        supervisor.start("media sweeper", media.sweep_forever)
        supervisor.start("media accesses", media.flush_forever)
        if settings.media_warm:
            supervisor.start("media warmer", warmer.run_forever)
        yield


def _add_routes(
    app: FastAPI,
    settings: Settings,
    database: Database,
    gate: RpcGate,
    telegram: TelegramClient,
    history: History,
    subscriptions: SubscriptionList,
    files: PostFiles,
    media: MediaCache,
    warmer: Warmer | None,
    signer: MediaSigner,
    keys: FeedKeys,
    rendering: Executor,
    supervisor: Supervisor,
) -> None:
    """Build the HTTP floor on top of the others."""
    origin = Origin(settings.pyrogram_bridge_url, settings.trusted_proxies)
    auth = Authenticator(settings.token.get_secret_value(), origin)
    render = RenderSettings(
        link_host=settings.tg_link_host,
        zone=settings.time_zone,
        show_flags=settings.show_post_flags,
        show_bridge_link=settings.show_bridge_link,
        reply_quote_chars=settings.reply_quote_truncate_chars,
        reply_quote_distance=settings.reply_quote_truncate_distance,
        language=settings.feed_language,
    )

    def note_shown(shown: Sequence[ShownFile]) -> None:
        media.shown((file.channel_id, file.post_id, file.file.unique_id) for file in shown)
        if warmer is not None:
            warmer.show(shown)

    renderer = Renderer(signer.at, render, rendering, gone_files=lambda: media.gone)
    # Where everybody is let in, addresses need no key.
    named_keys = keys if auth.required else None
    cache: DocumentCache[Hashable] = DocumentCache(DOCUMENT_CACHE_BYTES)
    documents = ChannelDocuments(history, cache, renderer, named_keys, on_shown=note_shown)
    combined = CombinedDocuments(
        history, cache, renderer, documents.filtering, PATIENCE, named_keys, on_shown=note_shown
    )
    posts = PostDocuments(history, telegram, renderer, named_keys)
    admission = Admission(auth, keys, history.stored_id)
    health = HealthSources(
        telegram=telegram,
        gate=gate.stats,
        history=history.stats,
        media=media,
        documents=documents.stats,
        database=database,
        warmer=(lambda: SWITCHED_OFF) if warmer is None else warmer.stats,
        failed_renders=lambda: renderer.failed_renders,
        tasks=lambda: telegram.background() | supervisor.stats(),
    )
    # Media first: a page asks for one feed and for fifty pictures.
    for router in (
        media_router(media, signer, files.find, files.renew, public=not auth.required),
        feed_router(
            documents,
            combined,
            Folders(subscriptions),
            posts,
            admission,
            origin,
            merge=settings.time_based_merge,
        ),
        post_router(posts, admission, auth, origin),
        opml_router(
            subscriptions,
            auth,
            origin,
            named_keys,
            link_host=settings.tg_link_host,
            language=settings.feed_language,
        ),
        status_router(
            lambda: telegram.status,
            origin,
            threshold_s=settings.ping_unhealthy_after,
            watched=settings.tg_watchdog_enabled,
            guarded=auth.required,
        ),
        health_router(health, auth),
        favicon_router(),
    ):
        # As the application's own: an included router would be matched as a whole first, at each request.
        app.router.routes.extend(router.routes)


async def serve(
    settings: Settings, listener: socket.socket, *, connection_factory: type[TCPConnection] | None = None
) -> int:
    """Run the service on a listening socket until SIGTERM or SIGINT. Raises StorageError.

    Gives the exit code: 0, or `EXIT_GAVE_UP` if the signal was our own.
    """
    exit_code = 0

    def give_up() -> None:
        nonlocal exit_code
        exit_code = EXIT_GAVE_UP
        os.kill(os.getpid(), signal.SIGTERM)

    app = create_app(settings, connection_factory=connection_factory, give_up=give_up)
    server = create_server(app)

    def stop() -> None:
        server.should_exit = True
        # Whoever waits for Telegram gets the stored history or 503 now, and not at the end of the grace.
        if turn_away := getattr(app.state, "turn_away", None):
            turn_away()

    loop = asyncio.get_running_loop()
    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, stop)
    try:
        async with app.router.lifespan_context(app):
            log.info("listening on %s port %s", *listener.getsockname()[:2])
            await server.serve(sockets=[listener])
    finally:
        for number in STOP_SIGNALS:
            loop.remove_signal_handler(number)
    return exit_code


def main(arguments: list[str] | None = None) -> int:
    """Run the service; the exit code: 0 after a signal, 1 if it could not start, 70 if it gave up."""
    parser = argparse.ArgumentParser(description="Serve Telegram channels as feeds and pages.")
    parser.add_argument("--no-env-file", action="store_true", help="don't read settings from the file .env")
    options = parser.parse_args(arguments)
    try:
        settings = load_settings(None if options.no_env_file else Path(".env"))
    except SettingsError as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)
        return 1
    logging.basicConfig(level=settings.log_level, format=LOG_FORMAT)
    try:
        listener = listen(settings.api_host, settings.api_port)
    except (OSError, UnicodeError, TypeError) as error:
        reason = getattr(error, "strerror", None) or error
        print(
            f"API_HOST {settings.api_host}, API_PORT {settings.api_port}: can't listen there "
            f"({reason}); stop what uses the port or set another",
            file=sys.stderr,
        )
        return 1
    try:
        with listener, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            return runner.run(serve(settings, listener))
    except StorageError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
