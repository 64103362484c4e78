/** The wallets of the operator whose keys the signer makes. */
export type SystemWallet = 'sponsor' | 'fees' | 'treasury';

/** Stands in front of every id that no agent can have, of keys to come as well. */
const RESERVED_PREFIX = '00000000-0000-0000-0000-';

/** Under which id the key of each is kept, beside the agents'. */
export const SYSTEM_WALLET_IDS: Readonly<Record<SystemWallet, string>> = {
  sponsor: `${RESERVED_PREFIX}000000000001`,
  fees: `${RESERVED_PREFIX}000000000002`,
  treasury: `${RESERVED_PREFIX}000000000003`,
};

/** Under which id the key is kept that signs checkpoints of the audit log, and nothing else. */
export const CHECKPOINT_KEY_ID = `${RESERVED_PREFIX}000000000004`;

/** Returns whether an ID is reserved for keys of the operator, and so cannot be an agent's. */
export function isReservedId(id: string): boolean {
  return id.startsWith(RESERVED_PREFIX);
}
