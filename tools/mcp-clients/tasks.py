"""Calls tools through the official MCP client: one line of JSON for each call, and one for each result."""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

URL = f"{os.environ['API']}/mcp"
HEADERS = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
TIMEOUT_SECONDS = 60


def write(value):
    """Writes a line of JSON."""
    print(json.dumps(value), flush=True)


async def main():
    """Connects, lists the tools, and calls those that the input names."""
    async with httpx2.AsyncClient(headers=HEADERS, timeout=TIMEOUT_SECONDS) as http:
        async with Client(streamable_http_client(URL, http_client=http)) as client:
            listed = await client.list_tools()
            write({"era": client.protocol_version, "tools": [tool.name for tool in listed.tools]})
            while line := await asyncio.to_thread(sys.stdin.readline):
                call = json.loads(line)
                result = await client.call_tool(call["tool"], call["arguments"])
                write(result.model_dump(mode="json", by_alias=True))


asyncio.run(main())
