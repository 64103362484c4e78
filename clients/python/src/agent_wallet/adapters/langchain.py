"""Tools of a wallet for LangChain and LangGraph: `pip install agent-wallet[langchain]`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from langchain_core.tools import StructuredTool

from ..aio.wallet import AsyncAgentWallet
from ..sync.wallet import AgentWallet
from ..tools import ToolOptions, WalletTool, wallet_tools

if TYPE_CHECKING:
    from typing_extensions import Unpack

Text = TypeVar('Text', str, Awaitable[str])


def langchain_tools(wallet: AgentWallet | AsyncAgentWallet, **options: Unpack[ToolOptions]) -> list[StructuredTool]:
    """Lists the tools of a wallet for models and agents. Those of an `AsyncAgentWallet` are for `ainvoke` alone."""
    if isinstance(wallet, AgentWallet):
        return [_structured(tool, func=_named(tool)) for tool in wallet_tools(wallet, **options)]
    return [_structured(tool, coroutine=_named(tool)) for tool in wallet_tools(wallet, **options)]


def _structured(
    tool: WalletTool[Text],
    func: Callable[..., str] | None = None,
    coroutine: Callable[..., Awaitable[str]] | None = None,
) -> StructuredTool:
    return StructuredTool(
        name=tool.name, description=tool.description, args_schema=tool.parameters, func=func, coroutine=coroutine
    )


def _named(tool: WalletTool[Text]) -> Callable[..., Text]:
    """Makes a function that takes the input by its names."""

    def run(**fields: object) -> Text:
        return tool.run(fields)

    return run
