# Pays once through the Python SDK, as `npm run clients` runs and kills it: API, TOKEN, STORE, TO and AMOUNT say how.
import os

from agent_wallet import AgentWallet, FileStore, WalletOptions

options = WalletOptions(os.environ['API'], store=FileStore(os.environ['STORE']), timeout=2, retry_for=30)
with AgentWallet(options, os.environ['TOKEN']) as wallet:
    sent = wallet.transfer(to=os.environ['TO'], amount=os.environ['AMOUNT'], mint='USDC')
    print(sent['signature'], flush=True)
