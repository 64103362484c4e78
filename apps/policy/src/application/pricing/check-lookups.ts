import { createHash } from 'node:crypto';
import type { intentV1 } from '@agent-wallet/contracts';
import { readLookups, resolvedAddressesHash, UnresolvedLookups } from '@agent-wallet/jupiter';
import { AppError } from '@agent-wallet/kernel';
import { MalformedMessage, messageHash } from '@agent-wallet/solana';
import type { PolicyChain } from '../../ports/chain.js';

/** A message, and the hash under which it is asked to be permitted. */
export interface ShownMessage {
  readonly messageHash: Uint8Array;
  /** Undefined when it was not shown. */
  readonly message: Uint8Array | undefined;
}

const OF_NOTHING = createHash('sha256').digest();

/**
 * Proves that what a swap says of its lookup tables is what the chain says. The signer asks no chain: it is the permit that
 * shows it which addresses a message brings in. A swap without tables has nothing to prove: the signer counts them.
 * @throws AppError VALIDATION_ERROR when it is not so, or unknown; UPSTREAM_ERROR and UPSTREAM_TIMEOUT
 */
export async function checkLookups(
  chain: Pick<PolicyChain, 'accounts'>,
  { resolvedAddressesHash: said }: intentV1.Swap,
  { messageHash: permitted, message }: ShownMessage,
): Promise<void> {
  if (OF_NOTHING.equals(said)) return;
  if (!message) throw AppError.field('message', 'must be shown when it takes addresses from lookup tables');
  if (Buffer.compare(messageHash(message), permitted) !== 0) {
    throw AppError.field('message', 'is not the message that is to be permitted');
  }
  const addresses = await readLookups(message, (tables) => chain.accounts(tables)).catch(refused);
  if (!resolvedAddressesHash(addresses).equals(said)) {
    throw AppError.field('intent.swap.resolvedAddressesHash', 'is not of what the lookup tables hold');
  }
}

function refused(error: unknown): never {
  if (error instanceof UnresolvedLookups || error instanceof MalformedMessage) {
    throw AppError.field('message', 'takes addresses from tables that cannot be read');
  }
  throw error;
}
