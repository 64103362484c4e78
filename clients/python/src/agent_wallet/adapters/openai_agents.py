"""Tools of a wallet for OpenAI's Agents SDK: `pip install agent-wallet[openai-agents]`."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from agents import FunctionTool

from ..aio.wallet import AsyncAgentWallet
from ..tools import ToolOptions, WalletTool, wallet_tools

if TYPE_CHECKING:
    from agents.tool_context import ToolContext
    from typing_extensions import Unpack


def openai_agents_tools(
    wallet: AsyncAgentWallet, *, needs_approval: bool = False, **options: Unpack[ToolOptions]
) -> list[FunctionTool]:
    """Lists the tools of a wallet for agents. `needs_approval` stops a run for a person before each call that moves money."""
    return [
        FunctionTool(
            name=tool.name,
            description=tool.description,
            params_json_schema=tool.parameters,
            on_invoke_tool=_invoked(tool),
            # Fields may be left out; the wallet refuses others by itself.
            strict_json_schema=False,
            needs_approval=needs_approval and tool.moves_money,
        )
        for tool in wallet_tools(wallet, **options)
    ]


def _invoked(tool: WalletTool[Awaitable[str]]) -> Callable[[ToolContext[Any], str], Awaitable[str]]:
    async def run(_: ToolContext[Any], text: str) -> str:
        return await tool.run(_parsed(text))

    return run


def _parsed(text: str) -> object:
    """Reads the input of a model. Text that is no JSON stays what it is, which the tool refuses."""
    try:
        return json.loads(text or '{}')
    except (ValueError, RecursionError):
        return text
