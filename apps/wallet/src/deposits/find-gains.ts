import { SOL_DECIMALS } from '@agent-wallet/kernel';
import type { LandedTokenBalance, LandedTransaction } from '@agent-wallet/solana';
import type { FormerAccount, Gain } from './deposit.js';

/** Whose wallets there are. */
export interface OwnWallets {
  /** Agents by the addresses of their wallets. */
  readonly agents: ReadonlyMap<string, string>;
  /** Wallets of the operator: what they send without an agent is told by the operation that made them. */
  readonly operators: ReadonlySet<string>;
}

/**
 * What agents were given in a transaction. One that an agent signed is that agent's own operation, and a deposit for
 * other agents only; one that the operator signed without an agent is none for anybody.
 */
export function findGains(tx: LandedTransaction, { agents, operators }: OwnWallets): Gain[] {
  if (tx.error !== null) return [];
  const signers = signersOf(tx);
  const isOperators = signers.some((signer) => operators.has(signer)) && !signers.some((signer) => agents.has(signer));
  if (isOperators) return [];
  return [...lamportsGained(tx), ...tokensGained(tx)].flatMap((gain) => {
    const agentId = agents.get(gain.wallet);
    return agentId === undefined || signers.includes(gain.wallet) ? [] : [{ agentId, ...gain }];
  });
}

/**
 * Token accounts that agents gave up by this transaction, which they signed: nodes list them no more, whatever came in
 * before. Accounts that strangers make for an agent and close again are none, or they could have any number watched.
 */
export function findFormerAccounts(tx: LandedTransaction, agents: OwnWallets['agents']): FormerAccount[] {
  if (tx.error !== null) return [];
  const signers = signersOf(tx);
  return tx.preTokenBalances.flatMap(({ account, owner }) => {
    if (owner === null || !signers.includes(owner)) return [];
    const agentId = agents.get(owner);
    const isKept = tx.postTokenBalances.some((after) => after.account === account && after.owner === owner);
    return agentId === undefined || isKept ? [] : [{ agentId, wallet: owner, address: account }];
  });
}

function signersOf({ addresses, signatures }: LandedTransaction): readonly string[] {
  return addresses.slice(0, signatures.length);
}

type AnyGain = Omit<Gain, 'agentId'>;

function lamportsGained(tx: LandedTransaction): AnyGain[] {
  const changes = tx.addresses.map((address, i) => ({ address, by: tx.postBalances[i]! - tx.preBalances[i]! }));
  const [feePayer] = tx.addresses;
  // Whoever paid nothing but the network fee sent nothing.
  const losers = changes.filter(({ address, by }) => by < (address === feePayer ? -tx.feeLamports : 0n));
  const sender = losers.length === 1 ? losers[0]!.address : '';
  return changes
    .filter(({ by }) => by > 0n)
    .map(({ address, by }) => ({
      wallet: address,
      account: address,
      mint: '',
      decimals: SOL_DECIMALS,
      amount: by,
      sender,
    }));
}

function tokensGained({ preTokenBalances, postTokenBalances }: LandedTransaction): AnyGain[] {
  return postTokenBalances.flatMap((after) => {
    const { account, mint, owner, decimals } = after;
    const before = preTokenBalances.find((balance) => balance.account === account);
    // An account that was somebody else's before came with all that is in it.
    const amount = after.amount - (before?.owner === owner && before.mint === mint ? before.amount : 0n);
    if (owner === null || amount <= 0n) return [];
    return [
      { wallet: owner, account, mint, decimals, amount, sender: senderOf(mint, preTokenBalances, postTokenBalances) },
    ];
  });
}

/** The only owner whose units of a mint became fewer. */
function senderOf(mint: string, before: readonly LandedTokenBalance[], after: readonly LandedTokenBalance[]): string {
  const losers = before.filter(
    (balance) =>
      balance.mint === mint &&
      balance.amount > (after.find(({ account }) => account === balance.account)?.amount ?? 0n),
  );
  return losers.length === 1 ? (losers[0]!.owner ?? '') : '';
}
