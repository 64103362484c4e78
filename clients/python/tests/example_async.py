import asyncio
import os

from agent_wallet import AsyncAgentWallet, FileStore, WalletOptions


async def main() -> None:
    options = WalletOptions('http://localhost:8080', store=FileStore('.agent-wallet'))
    async with AsyncAgentWallet(options, os.environ['AGENT_WALLET_TOKEN']) as wallet:
        async for record in wallet.history(action='trade'):
            print(record['createdAt'], record['amount'], record['asset'])


asyncio.run(main())
