from agent_wallet import AgentWallet, FaucetError


def fund(wallet: AgentWallet) -> bool:
    try:
        wallet.faucet(token='SOL', amount='1')
        wallet.faucet(token='USDC', amount='250')
    except FaucetError:
        return False
    return True
