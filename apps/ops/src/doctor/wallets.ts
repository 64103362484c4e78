import { formatAmount, mintNamed, SOL_DECIMALS } from '@agent-wallet/kernel';
import { setting } from '@agent-wallet/platform';
import { isAddress, openSolanaChain } from '@agent-wallet/solana';
import { type Check, defineCheck, fail, type Finding, ok, warn } from './check.js';
import { CHECK_LIMIT_MS } from './examine.js';

const USDC = mintNamed('USDC');
const USDC_DECIMALS = 6;
const WARN_DAYS = 2n;
const RUNBOOK = 'docs/runbooks/operator-funds-exhausted.md';

const RPC = { SOLANA_RPC_URL: setting.url('http', 'https') };
const address = () => setting.text().refine(isAddress, 'must be a base58 address');
const ADVICE = 'Check the address, and the checks of the node.';

interface Balances {
  readonly lamports: bigint;
  readonly usdc: bigint;
}

async function readBalances(rpcUrl: string, owner: string): Promise<Balances> {
  const chain = openSolanaChain({ rpcUrl, timeoutMs: CHECK_LIMIT_MS });
  try {
    const { lamports, tokens } = await chain.walletHoldings(owner);
    const usdc = tokens.filter(({ mint }) => mint === USDC).reduce((sum, { amount }) => sum + amount, 0n);
    return { lamports, usdc };
  } finally {
    chain.close();
  }
}

const textOf = ({ lamports, usdc }: Balances) =>
  `${formatAmount(lamports, SOL_DECIMALS)} SOL, ${formatAmount(usdc, USDC_DECIMALS)} USDC`;

const sponsor = defineCheck({
  name: 'sponsor',
  area: 'wallets',
  settings: {
    ...RPC,
    SPONSOR_ADDRESS: address(),
    SPONSOR_MAX_LAMPORTS_PER_DAY: setting.integer({ min: 0, max: 999_999_999_999_999 }).default(1_000_000_000),
  },
  advice: ADVICE,
  async run({ SOLANA_RPC_URL, SPONSOR_ADDRESS, SPONSOR_MAX_LAMPORTS_PER_DAY: perDay }) {
    return judgeSponsor(await readBalances(SOLANA_RPC_URL, SPONSOR_ADDRESS), BigInt(perDay));
  },
});

function judgeSponsor(balances: Balances, perDay: bigint): Finding {
  const { lamports } = balances;
  const advice = `Send SOL to SPONSOR_ADDRESS: ${RUNBOOK}.`;
  if (perDay === 0n) return ok(`${textOf(balances)}; SPONSOR_MAX_LAMPORTS_PER_DAY is 0, so it pays nothing`);
  if (lamports === 0n) return fail(`${textOf(balances)}: it can pay no network fee`, advice);
  const days = formatAmount((lamports * 10n) / perDay, 1);
  const found = `${textOf(balances)}: ${days} days at SPONSOR_MAX_LAMPORTS_PER_DAY`;
  return lamports < WARN_DAYS * perDay ? warn(found, advice) : ok(found);
}

const feeWallet = defineCheck({
  name: 'fee wallet',
  area: 'wallets',
  settings: { ...RPC, FEE_WALLET_ADDRESS: address() },
  advice: ADVICE,
  run: async ({ SOLANA_RPC_URL, FEE_WALLET_ADDRESS }) =>
    ok(textOf(await readBalances(SOLANA_RPC_URL, FEE_WALLET_ADDRESS))),
});

const treasury = defineCheck({
  name: 'treasury',
  area: 'wallets',
  settings: { ...RPC, TREASURY_ADDRESS: address() },
  advice: ADVICE,
  async run({ SOLANA_RPC_URL, TREASURY_ADDRESS }) {
    const balances = await readBalances(SOLANA_RPC_URL, TREASURY_ADDRESS);
    if (balances.usdc > 0n) return ok(textOf(balances));
    return warn(textOf(balances), 'Send USDC to TREASURY_ADDRESS: without it no withdrawal from predictions is paid.');
  },
});

/** Checks of what the operator's wallets hold. */
export const WALLET_CHECKS: readonly Check[] = [sponsor, feeWallet, treasury];
