"""Lets the official Python SDK of the Model Context Protocol sign in: it registers, prints the
address of the consent page, reads the address that the person was sent back to, and calls a tool.
The arguments are the redirect URI and the address of the tools."""

import asyncio
import json
import sys
from urllib.parse import parse_qs, urlsplit

from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

redirect_uri, resource = sys.argv[1:]


class Kept:
    """Keeps what the SDK gives it, as a program would on its disk."""

    tokens = None
    client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


async def show(address):
    print(json.dumps({"authorize": address}), flush=True)


async def answer():
    line = await asyncio.to_thread(sys.stdin.readline)
    query = parse_qs(urlsplit(line.strip()).query)
    return AuthorizationCodeResult(
        code=query["code"][0], state=query["state"][0], iss=query["iss"][0]
    )


async def main():
    kept = Kept()
    metadata = OAuthClientMetadata(client_name="Agent", redirect_uris=[redirect_uri])
    auth = OAuthClientProvider(resource, metadata, kept, show, answer)
    async with create_mcp_http_client(auth=auth) as http:
        async with Client(streamable_http_client(resource, http_client=http)) as client:
            tools = (await client.list_tools()).tools
            result = await client.call_tool("get_me", {})
    print(
        json.dumps(
            {
                "opened": result.structured_content["app"]["client_id"],
                "client": kept.client.client_id,
                "tools": len(tools),
                "schemas": sum(1 for tool in tools if tool.output_schema),
                "scope": kept.tokens.scope,
            }
        )
    )


asyncio.run(main())
