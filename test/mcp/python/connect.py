"""Connects by the official Python client, lists the tools again and again until an error, and prints the error's lines."""

import asyncio
import sys

from mcp import ClientSession

try:
    from mcp.client.streamable_http import streamablehttp_client as connect
except ImportError:
    from mcp.client.streamable_http import streamable_http_client as connect


async def main(url):
    async with connect(url) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await session.initialize()
            for _ in range(5):
                print("tools", len((await session.list_tools()).tools), flush=True)


def leaves(error):
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from leaves(one)
    else:
        yield error


try:
    asyncio.run(asyncio.wait_for(main(sys.argv[1]), 60))
except BaseException as error:
    for leaf in leaves(error):
        print("error", type(leaf).__name__, leaf, flush=True)
