"""Small files: ``files.getUploadURLExternal``, the upload itself, ``files.completeUploadExternal``, ``files.info``.

See https://docs.slack.dev/messaging/working-with-files#upload
"""

from __future__ import annotations

from aiohttp import web

from .messages import Message
from .methods import Call, Method, World
from .rates import Tier
from .refusals import Refusal, invalid_arguments
from .shapes import JsonObject, objects

CONTENT = "_content"
"""Where an upload keeps its bytes; never sent."""


def get_upload_url(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/files.getUploadURLExternal"""
    try:
        length = int(call.arguments["length"])
    except (TypeError, ValueError):
        raise invalid_arguments("must be an integer [json-pointer:/length]") from None
    if length <= 0:
        raise invalid_arguments("must be greater than 0 [json-pointer:/length]")
    file_id = f"F0{call.workspace.number()}"
    call.world.uploads[file_id] = {"id": file_id, "name": call.text("filename"), "size": length}
    return {"upload_url": f"{call.world.base_url}/upload/v1/{file_id}", "file_id": file_id}


async def accept_upload(request: web.Request, world: World) -> web.Response:
    """Take the bytes of a file whose upload was begun: as many as were announced."""
    upload = world.uploads.get(request.match_info["file_id"])
    content = await request.read()
    if upload is None or len(content) != upload["size"]:
        return web.Response(status=400, text="bad upload")
    upload[CONTENT] = content
    return web.Response(text=f"OK - {len(content)}")


def complete_upload(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/files.completeUploadExternal"""
    wanted = objects(call.json("files", error="invalid_arguments"))
    if not wanted:
        raise invalid_arguments("must hold a file [json-pointer:/files]")
    files: list[JsonObject] = []
    for each in wanted:
        upload = call.world.uploads.get(str(each.get("id")))
        if upload is None or CONTENT not in upload:
            raise Refusal("file_not_found")
        file = {key: value for key, value in upload.items() if key != CONTENT} | {
            "title": each.get("title") or upload["name"],
            "user": call.app.user_id,
            "mode": "hosted",
        }
        files.append(file)
    named = call.text("channel_id") or call.text("channels")
    if named:
        channel = call.workspace.channels.get(named)
        if channel is None:
            raise Refusal("channel_not_found")
        if call.app.user_id not in channel.members:
            raise Refusal("not_in_channel")
        call.workspace.post(
            Message(
                channel=channel.id,
                ts=call.workspace.new_ts(),
                user=call.app.user_id,
                bot_id=call.app.bot_id,
                app_id=call.app.id,
                text=call.text("initial_comment"),
                files=files,
                subtype="file_share",
                thread_ts=call.text("thread_ts") or None,
            )
        )
    for file in files:
        call.workspace.files[file["id"]] = file | {CONTENT: call.world.uploads.pop(file["id"])[CONTENT]}
    return {"files": files}


def info(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/files.info"""
    file = call.workspace.files.get(call.text("file"))
    if file is None:
        raise Refusal("file_not_found")
    return {"file": {key: value for key, value in file.items() if key != CONTENT}, "comments": []}


METHODS = (
    Method(
        name="files.getUploadURLExternal",
        do=get_upload_url,
        tier=Tier.FOUR,
        required=("filename", "length"),
        optional=("alt_txt", "snippet_type"),
        scopes=("files:write",),
    ),
    Method(
        name="files.completeUploadExternal",
        do=complete_upload,
        tier=Tier.FOUR,
        required=("files",),
        optional=("blocks", "channel_id", "channels", "initial_comment", "thread_ts"),
        scopes=("files:write",),
        takes_json=True,
    ),
    Method(
        name="files.info",
        do=info,
        tier=Tier.FOUR,
        required=("file",),
        optional=("count", "cursor", "limit", "page"),
        scopes=("files:read",),
    ),
)
