from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from agents import Agent, Model, ModelResponse, RunConfig, Runner, Usage
from agents.tool_context import ToolContext
from langchain_core.messages import ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from agent_wallet import AgentWallet, AsyncAgentWallet, WalletOptions
from agent_wallet.adapters.langchain import langchain_tools
from agent_wallet.adapters.openai_agents import openai_agents_tools

from .scripted_service import ScriptedService, success, token_of

INPUT = {'to': 'a', 'amount': '64.1', 'mint': 'USDC'}
CALL: dict[str, Any] = {'type': 'tool_call', 'id': '1', 'name': 'transfer', 'args': INPUT}
RESULT = '{"signature":"s"}'
ONE_PAYMENT = [('/wallets/me/actions/transfer', '{"to":"a","amount":64.1,"mint":"USDC"}')]
RUN = RunConfig(tracing_disabled=True)


@pytest.fixture(autouse=True)
def granted(service: ScriptedService) -> None:
    service.script(success({'signature': 's'}))


@pytest.fixture
def options(service: ScriptedService) -> WalletOptions:
    return WalletOptions(service.url)


def payments(service: ScriptedService) -> list[tuple[str, str]]:
    return [(seen.path, seen.body) for seen in service.seen]


def test_a_tool_of_langchain_pays_with_threads(service: ScriptedService, options: WalletOptions) -> None:
    with AgentWallet(options, token_of('agent')) as wallet:
        [transfer] = langchain_tools(wallet, only=['transfer'])
        assert transfer.invoke(INPUT) == RESULT  # pyright: ignore[reportUnknownMemberType]
        message = asyncio.run(transfer.ainvoke(CALL))
        assert isinstance(message, ToolMessage)
        assert (message.tool_call_id, message.text) == ('1', RESULT)
    assert payments(service) == ONE_PAYMENT * 2


def test_a_tool_of_langchain_pays_with_asyncio(service: ScriptedService, options: WalletOptions) -> None:
    async def pay() -> object:
        async with AsyncAgentWallet(options, token_of('agent')) as wallet:
            [transfer] = langchain_tools(wallet, only=['transfer'])
            return await transfer.ainvoke(INPUT)

    assert asyncio.run(pay()) == RESULT
    assert payments(service) == ONE_PAYMENT


def test_a_tool_of_langchain_names_its_input_to_a_model_and_takes_no_other(
    service: ScriptedService, options: WalletOptions
) -> None:
    with AgentWallet(options, token_of('agent')) as wallet:
        [transfer] = langchain_tools(wallet, only=['transfer'])
        shown = convert_to_openai_tool(transfer)['function']
        assert (shown['name'], shown['parameters']['required']) == ('transfer', ['to', 'amount'])
        answer = transfer.invoke({**INPUT, 'all': True})  # pyright: ignore[reportUnknownMemberType]
    assert json.loads(answer)['error']['message'] == 'The tool has no field all.'
    assert payments(service) == []


class Payer(Model):
    """A model that calls the tool, and then ends with what it was answered."""

    async def get_response(self, *args: Any, **named: Any) -> ModelResponse:
        given: Any = named.get('input', args[1] if len(args) > 1 else None)
        results = [part['output'] for part in given if part.get('type') == 'function_call_output'] if given != 'Pay.' else []
        if results:
            text = ResponseOutputText(type='output_text', text=results[0], annotations=[])
            output = ResponseOutputMessage(id='2', type='message', role='assistant', status='completed', content=[text])
        else:
            output = ResponseFunctionToolCall(type='function_call', call_id='1', name='transfer', arguments=json.dumps(INPUT))
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **named: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def test_an_agent_of_openai_pays_by_a_tool_and_reads_its_result(service: ScriptedService, options: WalletOptions) -> None:
    async def pay() -> object:
        async with AsyncAgentWallet(options, token_of('agent')) as wallet:
            agent = Agent(name='payer', model=Payer(), tools=[*openai_agents_tools(wallet)])
            return (await Runner.run(agent, 'Pay.', run_config=RUN)).final_output

    assert asyncio.run(pay()) == RESULT
    assert payments(service) == ONE_PAYMENT


def test_an_agent_of_openai_stops_for_a_person_and_pays_once_approved(service: ScriptedService, options: WalletOptions) -> None:
    async def pay() -> None:
        async with AsyncAgentWallet(options, token_of('agent')) as wallet:
            agent = Agent(name='payer', model=Payer(), tools=[*openai_agents_tools(wallet, needs_approval=True)])
            stopped = await Runner.run(agent, 'Pay.', run_config=RUN)
            assert (len(stopped.interruptions), payments(service)) == (1, [])
            state = stopped.to_state()
            state.approve(stopped.interruptions[0])
            await Runner.run(agent, state, run_config=RUN)

    asyncio.run(pay())
    assert payments(service) == ONE_PAYMENT


def test_only_payments_of_an_agent_of_openai_need_a_person(options: WalletOptions) -> None:
    async def asked() -> list[str]:
        async with AsyncAgentWallet(options, token_of('agent')) as wallet:
            tools = openai_agents_tools(wallet, needs_approval=True, only=['get_wallet', 'trade'])
            return [tool.name for tool in tools if tool.needs_approval]

    assert asyncio.run(asked()) == ['trade']


@pytest.mark.parametrize(
    ('text', 'message'),
    [('{', 'The input must be an object.'), ('[' * 100_000, 'The input must be an object.'), ('', 'to is required.')],
)
def test_a_tool_of_openai_refuses_what_is_not_its_input(
    service: ScriptedService, options: WalletOptions, text: str, message: str
) -> None:
    async def call() -> str:
        async with AsyncAgentWallet(options, token_of('agent')) as wallet:
            [transfer] = openai_agents_tools(wallet, only=['transfer'])
            context = ToolContext(context=None, tool_name='transfer', tool_call_id='1', tool_arguments=text)
            return await transfer.on_invoke_tool(context, text)

    assert json.loads(asyncio.run(call()))['error']['message'] == message
    assert payments(service) == []
