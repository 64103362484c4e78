import os

from agent_wallet import ApiError, FileStore, WalletOptions, error_data, log_in

options = WalletOptions('http://localhost:8080', store=FileStore('.agent-wallet'))
wallet = log_in(options, 'agent@example.com', lambda login: input('Code: ')).wallet

print(f'{wallet.balances()["sol"]["balance"]} SOL')
try:
    sent = wallet.transfer(to=os.environ['RECIPIENT'], amount='1.5', mint='USDC')
    print(sent['explorerUrl'])
except ApiError as error:
    refusal = error_data(error, 'POLICY_VIOLATION')
    if refusal is None:
        raise
    print(f'{refusal["rule"]}: at most {refusal["maxAmountNow"]} USDC now')
