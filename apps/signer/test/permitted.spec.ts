import type { intentV1, signerV1 } from '@agent-wallet/contracts';
import { signerV1 as wire } from '@agent-wallet/contracts';
import { randomSwaps, type SwapCase } from '@agent-wallet/jupiter/corpus';
import { newId } from '@agent-wallet/kernel';
import { buildMessage } from '@agent-wallet/solana';
import { addressOf, verifySignature } from '@agent-wallet/solana/checks';
import { kindOf, randomIntents } from '@agent-wallet/solana/corpus';
import { propertyRuns } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { claimsFor, type Deployment, openDeployment, permitOf, type SignerClient } from './support.js';

/** Transactions in one run, which are asked for at once. */
const AT_ONCE = 16;
const RUNS = propertyRuns(40);

let deployment: Deployment;
let signer: SignerClient;
let agent: { id: string; address: string };
let operator: { sponsor: string; treasury: string };

beforeAll(async () => {
  deployment = await openDeployment();
  signer = await deployment.clientOf(await deployment.start(), 'wallet');
  const id = newId();
  agent = { id, address: (await signer.createKey({ agentId: id })).address };
  const { SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_TREASURY } = wire.SystemWallet;
  const [sponsor, treasury] = await Promise.all(
    [SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_TREASURY].map((wallet) => signer.createSystemKey({ wallet })),
  );
  operator = { sponsor: sponsor!.address, treasury: treasury!.address };
});
afterAll(() => deployment.close());

type Permitted = Pick<SwapCase, 'intent' | 'message' | 'resolvedAddresses'>;

/** A message as wallet builds it, at any moment, for any attempt. */
const built = () =>
  fc
    .record({
      intent: randomIntents(agent.address, operator),
      blockhash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map(addressOf),
      salt: fc.nat({ max: 65_535 }),
    })
    .map(({ intent, ...rest }): Permitted => ({
      intent,
      message: buildMessage({ intent, ...rest }),
      resolvedAddresses: [],
    }));

function requestFor({ message, intent, resolvedAddresses }: Permitted): signerV1.SignRequest {
  const claims = claimsFor(message, { agentId: agent.id, intent, ...(isPayout(intent) ? { step: 3 } : {}) });
  return {
    message: Buffer.from(message),
    permit: permitOf(claims),
    resolvedAddresses: resolvedAddresses.map((address) => Buffer.from(address)),
  };
}

const isPayout = ({ action }: intentV1.Intent) => action?.$case === 'payout';

async function expectSigned(given: Permitted): Promise<void> {
  const { intent, message } = given;
  const { signature, sponsorSignature } = await signer.sign(requestFor(given));
  expect(verifySignature(message, signature, isPayout(intent) ? operator.treasury : agent.address)).toBe(true);
  expect(sponsorSignature && verifySignature(message, sponsorSignature, operator.sponsor)).toBe(
    intent.sponsor === undefined ? undefined : true,
  );
}

describe('every kind of message that may be permitted', () => {
  it('is signed by its required signers, and by no other', async () => {
    const kinds = new Set<string>();
    const some = fc.array(built(), { minLength: AT_ONCE, maxLength: AT_ONCE });
    const signedAll = fc.asyncProperty(some, async (messages) => {
      messages.forEach(({ intent }) => kinds.add(kindOf(intent)));
      await Promise.all(messages.map(expectSigned));
    });
    await fc.assert(signedAll, { numRuns: RUNS });
    for (const kind of ['escrow', 'escrow,sponsored', 'payout', 'unwrap', 'unwrap,remainder', 'unwrap,sponsored']) {
      expect(kinds).toContain(kind);
    }
    expect([...kinds].filter((kind) => kind.startsWith('transfer')).length).toBeGreaterThanOrEqual(15);
  });

  it('is signed when it is a trade, of every form', async () => {
    const forms = new Set<string>();
    const some = fc.array(randomSwaps(agent.address, operator.sponsor), { minLength: AT_ONCE, maxLength: AT_ONCE });
    const signedAll = fc.asyncProperty(some, async (swaps) => {
      swaps.forEach(({ scenario }) => forms.add(scenario));
      await Promise.all(swaps.map(expectSigned));
    });
    await fc.assert(signedAll, { numRuns: RUNS / 2 });
    for (const form of ['route_v2', 'shared_accounts_route_v2', 'fill']) expect(forms).toContain(form);
    expect(forms.size).toBeGreaterThanOrEqual(8);
  });
});
