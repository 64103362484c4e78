import { SOL_DECIMALS } from '@agent-wallet/kernel';
import type { Credit, TokenAccount } from './deposit.js';

/** An account's balance of a token. */
export interface TokenBalance {
  readonly account: string;
  readonly mint: string;
  /** Null where the node does not know. */
  readonly owner: string | null;
  readonly amount: bigint;
  readonly decimals: number;
}

/** A transaction's effects on the balances of its accounts; those of lamports are in the order of the addresses. */
export interface TransactionEffects {
  /** Null when it succeeded. */
  readonly error: string | null;
  readonly feeLamports: bigint;
  /** The signers first, and of them the fee payer. */
  readonly addresses: readonly string[];
  /** One for each signer. */
  readonly signatures: readonly string[];
  readonly preBalances: readonly bigint[];
  readonly postBalances: readonly bigint[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
}

/** Whose wallets there are. */
export interface OwnWallets {
  /** Agents by the addresses of their wallets. */
  readonly agents: ReadonlyMap<string, string>;
  /** Wallets of the operator: what they send without an agent is published by the operation that made them. */
  readonly operators: ReadonlySet<string>;
}

/**
 * Returns agents' gains in a transaction. A transaction that an agent signed is that agent's own operation, and a
 * deposit for other agents only. One that the operator signed without an agent is a deposit for no agent.
 */
export function findCredits(tx: TransactionEffects, { agents, operators }: OwnWallets): Credit[] {
  if (tx.error !== null) return [];
  const signers = signersOf(tx);
  const isOperators = signers.some((signer) => operators.has(signer)) && !signers.some((signer) => agents.has(signer));
  if (isOperators) return [];
  return [...creditsOfLamports(tx), ...creditsOfTokens(tx)].flatMap((credit) => {
    const agentId = agents.get(credit.wallet);
    return agentId === undefined || signers.includes(credit.wallet) ? [] : [{ agentId, ...credit }];
  });
}

/**
 * Returns token accounts that agents gave up by this transaction, which they signed. Nodes no longer list them,
 * regardless of earlier credits. Accounts that strangers make for an agent and close again do not count, or strangers
 * could have any number watched.
 */
export function findFormerAccounts(tx: TransactionEffects, agents: OwnWallets['agents']): TokenAccount[] {
  if (tx.error !== null) return [];
  const signers = signersOf(tx);
  return tx.preTokenBalances.flatMap(({ account, owner }) => {
    if (owner === null || !signers.includes(owner)) return [];
    const agentId = agents.get(owner);
    const isKept = tx.postTokenBalances.some((after) => after.account === account && after.owner === owner);
    return agentId === undefined || isKept ? [] : [{ agentId, wallet: owner, address: account }];
  });
}

function signersOf({ addresses, signatures }: TransactionEffects): readonly string[] {
  return addresses.slice(0, signatures.length);
}

type AnyCredit = Omit<Credit, 'agentId'>;

function creditsOfLamports(tx: TransactionEffects): AnyCredit[] {
  const changes = tx.addresses.map((address, i) => ({ address, by: tx.postBalances[i]! - tx.preBalances[i]! }));
  const [feePayer] = tx.addresses;
  // An owner that paid only the network fee sent nothing.
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

function creditsOfTokens({ preTokenBalances, postTokenBalances }: TransactionEffects): AnyCredit[] {
  return postTokenBalances.flatMap((after) => {
    const { account, mint, owner, decimals } = after;
    const before = preTokenBalances.find((balance) => balance.account === account);
    // An account that had another owner before came with all that is in it.
    const amount = after.amount - (before?.owner === owner && before.mint === mint ? before.amount : 0n);
    if (owner === null || amount <= 0n) return [];
    return [
      { wallet: owner, account, mint, decimals, amount, sender: senderOf(mint, preTokenBalances, postTokenBalances) },
    ];
  });
}

/** Returns the only owner whose units of a mint became fewer; empty when there is not exactly one. */
function senderOf(mint: string, before: readonly TokenBalance[], after: readonly TokenBalance[]): string {
  const losers = before.filter(
    (balance) =>
      balance.mint === mint &&
      balance.amount > (after.find(({ account }) => account === balance.account)?.amount ?? 0n),
  );
  return losers.length === 1 ? (losers[0]!.owner ?? '') : '';
}
