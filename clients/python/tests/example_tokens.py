from agent_wallet import AgentWallet


def open_for_bot(wallet: AgentWallet) -> str:
    opened = wallet.tokens.open(
        {
            'name': 'Trading bot',
            'scopes': ['read', 'trade'],
            'maxSingleInUsd': 20,
            'dailyLimitInUsd': 50,
            'expiresInHours': 168,
        }
    )
    return opened['sessionToken']
