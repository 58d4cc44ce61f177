"""An agent of Pydantic AI on the MCP server. Its model is a script: it makes the calls that it reads as JSON lines, one at a
time, and prints what the agent shows to the model. No network besides the server."""

import asyncio
import json
import sys

from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import FunctionModel


def say(**fields):
    print(json.dumps(fields, default=str), flush=True)


def shown(part):
    if isinstance(part, ToolReturnPart):
        return {"event": "returned", "outcome": part.outcome, "content": part.content}


def script(messages, info):
    found = [shown(part) for part in messages[-1].parts]
    for one in filter(None, found):
        say(**one)
    if len(messages) == 1:
        say(event="tools", names=sorted(tool.name for tool in info.function_tools))
    line = sys.stdin.readline().strip()
    if not line:
        return ModelResponse(parts=[TextPart("done")])
    call = json.loads(line)
    return ModelResponse(parts=[ToolCallPart(call["name"], call["arguments"])])


def leaves(error):
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from leaves(one)
    else:
        yield error


async def main(url, token):
    toolset = MCPToolset(url, auth=token, max_retries=5, include_instructions=True)
    agent = Agent(FunctionModel(script), toolsets=[toolset])
    async with agent:
        say(event="answer", content=(await agent.run("Move the database.")).output)


try:
    asyncio.run(main(*sys.argv[1:]))
except BaseException as error:
    for leaf in leaves(error):
        say(event="error", type=type(leaf).__name__, content=str(leaf))
