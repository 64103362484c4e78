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

/** Whether an id can be no agent's, because it is kept for keys of the operator. */
export function isReservedId(id: string): boolean {
  return id.startsWith(RESERVED_PREFIX);
}
