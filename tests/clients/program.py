"""An app in Python that does what the lines on its standard input say, and answers each with one."""

import asyncio
import json
import socket
import sys
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def obey(client, sign_in):
    asyncio.run(work(client, sign_in))


async def work(client, sign_in):
    async with client:
        server = client.server_info
        say({"name": server.name, "title": server.title, "protocol": client.protocol_version})
        while line := await asyncio.to_thread(sys.stdin.readline):
            try:
                say({"answer": await answer(client, sign_in, json.loads(line))})
            except Exception as error:
                say({"error": type(error).__name__})


async def answer(client, sign_in, order):
    match order:
        case ["tools"]:
            listed = await client.list_tools()
            return [tool.name for tool in getattr(listed, "tools", listed)]
        case ["call", tool, values]:
            result = await client.call_tool(tool, values)
            return "\n".join(part.text for part in result.content)
        # It looks at its own clock, not at a refusal, before it renews its access token.
        case ["time passes"]:
            sign_in.context.token_expiry_time = time.time() - 1
            return None


def say(words):
    print(json.dumps(words), flush=True)
