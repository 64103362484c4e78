from agents import Agent, Runner
from langchain_core.language_models import BaseChatModel

from agent_wallet import AgentWallet, AsyncAgentWallet
from agent_wallet.adapters.langchain import langchain_tools
from agent_wallet.adapters.openai_agents import openai_agents_tools


def ask_langchain(model: BaseChatModel, wallet: AgentWallet, prompt: str) -> object:
    return model.bind_tools(langchain_tools(wallet, only=['get_balances', 'transfer'])).invoke(prompt)


async def ask_openai(wallet: AsyncAgentWallet, prompt: str) -> str:
    agent = Agent(name='payer', tools=[*openai_agents_tools(wallet, needs_approval=True)])
    return (await Runner.run(agent, prompt)).final_output
