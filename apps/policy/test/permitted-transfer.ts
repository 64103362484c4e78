import type { intentV1, policyV1 } from '@agent-wallet/contracts';
import { eventually } from '@agent-wallet/testing';
import type { PolicyPeers } from './policy-peers.js';
import type { PolicyUnderTest } from './policy-under-test.js';
import {
  authorization,
  escrowIntent,
  newWallet,
  SPONSOR,
  sponsored,
  swapIntent,
  type TestWallet,
  TREASURY,
  transferIntent,
} from './service.js';

/** A blockhash's life, and the margin of the settings. */
export const LIFE_BLOCKS = 150 + 64;
/** How far finality is behind in the fake world. */
export const FINALITY_BLOCKS = 32;

/** The agent's usage while a permitted transfer is open, once it has landed, and once it is released. */
export const RESERVED = { used: 0n, reserved: 1_000_000n };
export const SPENT = { used: 1_000_000n, reserved: 0n };
export const NOTHING = { used: 0n, reserved: 0n };

/** A permitted transfer of one dollar; policy has read a block height since. */
export async function permitted(policy: PolicyUnderTest, { isSponsored = false } = {}) {
  const own = newWallet();
  const intent = transferIntent(own.address);
  return {
    own,
    ...(await permittedMessage(policy, isSponsored ? sponsored(intent) : intent, isSponsored ? SPONSOR : own)),
  };
}

/** A permitted swap of one dollar; policy has read a block height since. */
export async function permittedSwap(policy: PolicyUnderTest, cosigner?: TestWallet) {
  const own = newWallet();
  const intent = swapIntent(own.address, cosigner ? { cosigner: cosigner.address } : {});
  return { own, ...(await permittedMessage(policy, intent, cosigner ?? own)) };
}

/** A permitted intent of a wallet that pays for itself; policy has read a block height since. */
export function permittedIntent(policy: PolicyUnderTest, intent: intentV1.Intent, own: TestWallet) {
  return permittedMessage(policy, intent, own);
}

/** A permitted escrow of one dollar; policy has read a block height since. */
export function permittedEscrow(policy: PolicyUnderTest, own: TestWallet) {
  return permittedMessage(policy, escrowIntent(own.address), own);
}

/** A permitted payout as step 3 of an operation. */
export function permittedPayout(policy: PolicyUnderTest, intent: intentV1.Intent, operationId: string) {
  return permittedMessage(policy, intent, TREASURY, { operationId, step: 3 });
}

async function permittedMessage(
  policy: PolicyUnderTest,
  intent: intentV1.Intent,
  feePayer: TestWallet,
  change: Partial<policyV1.AuthorizeRequest> = {},
) {
  const { request: asked, message } = authorization(policy.agentId, intent);
  const request = { ...asked, ...change };
  await policy.askerOf(intent).authorize(request);
  const { operationId, step, attempt } = request;
  await eventually(async () => {
    const [row] = await policy.database.rows<{ known: boolean }>(
      `select exists (select from chain_heads h join reservations r on h.last_asked_at >= r.created_at
       where r.operation_id = $1 and r.step = $2) as known`,
      operationId,
      step,
    );
    return row!.known;
  });
  // The first signature is the transaction's id.
  const signature = feePayer.sign(message);
  const shown = { operationId, step, attempt, message, signature };
  const unsigned = { ...shown, message: Buffer.alloc(0), signature: Buffer.alloc(0) };
  return { request, message, signature, shown, unsigned };
}

/** Lets just so many blocks be finalized that the message can no longer land. */
export function passBound(world: PolicyPeers): void {
  world.advance(LIFE_BLOCKS + FINALITY_BLOCKS + 1);
}

/** What policy finds out about an attempt. */
export async function settle(policy: PolicyUnderTest, request: policyV1.SettleRequest): Promise<policyV1.Outcome> {
  return (await policy.wallet.settle(request)).outcome;
}
