"""The Python SDK, with the listener and the memory that an app has to bring along."""

import sys
import webbrowser
from asyncio import get_running_loop, start_server
from urllib.parse import parse_qs, urlsplit

from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from program import free_port, obey

NAME = "Journey with the Python SDK"


class Memory:
    """What an app keeps of its sign-in."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Browser:
    """Opens it, and listens for its answer."""

    def __init__(self):
        self.port = free_port()
        self.url = f"http://localhost:{self.port}/callback"
        self.answer = None

    async def open(self, url):
        self.answer = get_running_loop().create_future()
        self.listener = await start_server(self.hear, "127.0.0.1", self.port)
        webbrowser.open(url)

    async def hear(self, reader, writer):
        path = (await reader.readline()).split()[1].decode()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\nconnection: close\r\n\r\nBye")
        await writer.drain()
        writer.close()
        given = {name: values[0] for name, values in parse_qs(urlsplit(path).query).items()}
        if "code" in given and not self.answer.done():
            self.answer.set_result(given)

    async def result(self):
        given = await self.answer
        self.listener.close()
        return AuthorizationCodeResult(code=given["code"], state=given["state"], iss=given["iss"])


url, mode = sys.argv[1:]
browser = Browser()
sign_in = OAuthClientProvider(
    server_url=url,
    client_metadata=OAuthClientMetadata(
        client_name=NAME,
        redirect_uris=[browser.url],
        grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
        token_endpoint_auth_method="none",
    ),
    storage=Memory(),
    redirect_handler=browser.open,
    callback_handler=browser.result,
)
http = create_mcp_http_client(auth=sign_in)

obey(Client(streamable_http_client(url, http_client=http), mode=mode), sign_in)
