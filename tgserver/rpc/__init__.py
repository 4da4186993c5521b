"""What the server can be asked, in one table. A method that is not here is answered with 400."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyrogram.raw import functions as methods

from tgserver.errors import RpcFailure
from tgserver.rpc import auth, channels, help, messages, threads, updates, upload, users
from tgserver.rpc.context import Call, FilePart
from tgserver.tl import TL

Answer = TL | FilePart | bytes
Handler = Callable[[Call, Any], Answer]

# What may be asked before a login.
ANONYMOUS: dict[type[TL], Handler] = {
    methods.help.GetConfig: help.get_config,
    methods.help.GetCdnConfig: help.get_cdn_config,
    methods.help.GetNearestDc: help.get_nearest_dc,
    methods.auth.SendCode: auth.send_code,
    methods.auth.SignIn: auth.sign_in,
    methods.auth.CheckPassword: auth.check_password,
    methods.auth.ExportLoginToken: auth.export_login_token,
    methods.auth.ImportLoginToken: auth.import_login_token,
    methods.auth.ImportAuthorization: auth.import_authorization,
    methods.account.GetPassword: auth.get_password,
}

AUTHORIZED: dict[type[TL], Handler] = {
    methods.auth.ExportAuthorization: auth.export_authorization,
    methods.auth.LogOut: auth.log_out,
    methods.users.GetUsers: users.get_users,
    methods.users.GetFullUser: users.get_full_user,
    methods.contacts.ResolveUsername: users.resolve_username,
    methods.channels.GetMessages: channels.get_messages,
    methods.channels.GetChannels: channels.get_channels,
    methods.channels.GetFullChannel: channels.get_full_channel,
    methods.messages.GetHistory: messages.get_history,
    methods.messages.GetMessages: messages.get_messages,
    methods.messages.GetDialogs: messages.get_dialogs,
    methods.messages.GetDialogFilters: messages.get_dialog_filters,
    methods.messages.GetChats: messages.get_chats,
    methods.messages.GetFullChat: messages.get_full_chat,
    methods.messages.CheckChatInvite: messages.check_chat_invite,
    methods.messages.GetStickerSet: messages.get_sticker_set,
    methods.messages.GetReplies: threads.get_replies,
    methods.messages.GetDiscussionMessage: threads.get_discussion_message,
    methods.messages.GetForumTopicsByID: threads.get_forum_topics_by_id,
    methods.upload.GetFile: upload.get_file,
    methods.upload.GetCdnFileHashes: upload.get_cdn_file_hashes,
    methods.upload.ReuploadCdnFile: upload.reupload_cdn_file,
    methods.updates.GetState: updates.get_state,
    methods.updates.GetDifference: updates.get_difference,
    methods.updates.GetChannelDifference: updates.get_channel_difference,
}


def answer(call: Call, query: TL) -> Answer:
    """Answer a call, wrappers taken off.

    Raises RpcFailure: the handler's own, AUTH_KEY_UNREGISTERED for a session that is not logged
    in, METHOD_INVALID for a method that is not served, CDN_METHOD_INVALID for all that the
    delivery network does not answer, UNKNOWN_METHOD for what only it does.
    """
    if call.dc.cdn or isinstance(query, methods.upload.GetCdnFile):
        if not isinstance(query, methods.upload.GetCdnFile):
            raise RpcFailure("CDN_METHOD_INVALID", 400)
        if not call.dc.cdn:
            raise RpcFailure("UNKNOWN_METHOD", 500)
        return upload.get_cdn_file(call, query)
    handler = ANONYMOUS.get(type(query))
    if handler is None:
        handler = AUTHORIZED.get(type(query))
        if handler is None:
            raise RpcFailure("METHOD_INVALID", 400)
        if call.session.key.account is None:
            raise RpcFailure("AUTH_KEY_UNREGISTERED")
    return handler(call, query)
