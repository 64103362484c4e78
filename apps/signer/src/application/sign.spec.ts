import type { policyV1 } from '@agent-wallet/contracts';
import { forgedSwaps, honestSwaps } from '@agent-wallet/jupiter/corpus';
import { newId } from '@agent-wallet/kernel';
import { addressOf, verifySignature } from '@agent-wallet/solana/checks';
import { type CorpusCase, CORPUS_LIMITS, forgedMessages, honestMessages } from '@agent-wallet/solana/corpus';
import { isNightly } from '@agent-wallet/testing';
import { describe, expect, it } from '@jest/globals';
import { createSecretKey, randomBytes } from 'node:crypto';
import { claimsFor, NOW_MS, PERMIT_KEY_ID, permitKey, permitOf } from '../../test/support.js';
import { makeBootKey } from '../domain/boot-key.js';
import { makeSealedKey } from '../domain/sealed-key.js';
import { SYSTEM_WALLET_IDS } from '../domain/system-wallet.js';
import { OpenedKeys } from './opened-keys.js';
import { Sign } from './sign.js';

const agentId = newId();
const dataKey = { version: 1, secret: createSecretKey(randomBytes(32)) };
const keys = [agentId, SYSTEM_WALLET_IDS.sponsor, SYSTEM_WALLET_IDS.treasury].map((id) => makeSealedKey(id, dataKey));
const [agent, sponsor, treasury] = keys.map(({ publicKey }) => addressOf(publicKey)) as [string, string, string];
const operator = { sponsor, treasury };
const store = {
  find: async (id: string) => keys.find((key) => key.agentId === id),
  add: async () => undefined,
};
const clock = { nowMs: () => NOW_MS };
const opened = new OpenedKeys(
  store,
  { find: async () => dataKey },
  { maxCount: 10, ttlMs: 1_000, maxSealedCount: 0 },
  clock,
);
const permitKeys = new Map([[PERMIT_KEY_ID, permitKey.publicKey]]);
const bootKey = makeBootKey();
const signing = new Sign({ opened, permitKeys, limits: CORPUS_LIMITS, clock, bootKey });

/** A genuine permit of policy for the very bytes; undefined for an intent with numbers that no request can carry. */
function permitFor({ message, intent }: Pick<CorpusCase, 'message' | 'intent'>): policyV1.Permit | undefined {
  try {
    return permitOf(claimsFor(message, { agentId, intent }));
  } catch {
    return undefined;
  }
}

/** Returns of each way to forge a message the last case, and all at night; the libraries' own tests go through all. */
function waysOf<Case extends Pick<CorpusCase, 'name' | 'scenario'>>(cases: readonly Case[]): readonly Case[] {
  return isNightly ? cases : [...new Map(cases.map((each) => [each.name.slice(each.scenario.length), each])).values()];
}

describe('signing', () => {
  it('is done for every honest message, by all who must', async () => {
    for (const honest of honestMessages(agent, operator)) {
      const { signature, sponsorSignature } = await signing.execute(honest.message, permitFor(honest), []);
      const signer = honest.intent.action?.$case === 'payout' ? treasury : agent;
      expect(verifySignature(honest.message, signature, signer)).toBe(true);
      expect(sponsorSignature !== undefined).toBe(honest.intent.sponsor !== undefined);
      if (sponsorSignature) expect(verifySignature(honest.message, sponsorSignature, sponsor)).toBe(true);
    }
  });

  it('is refused for messages in every way in which they are forged, though policy permitted their hashes', async () => {
    const sendable = waysOf(forgedMessages(agent, operator)).flatMap((forged) => {
      const permit = permitFor(forged);
      return permit ? [{ ...forged, permit }] : [];
    });
    expect(sendable.length).toBeGreaterThan(1_900);
    const signed: string[] = [];
    for (const { name, message, permit } of sendable) {
      await signing.execute(message, permit, []).then(
        () => signed.push(name),
        (error: unknown) => expect(error).toMatchObject({ code: 'SIGNING_REFUSED' }),
      );
    }
    expect(signed).toEqual([]);
  });

  it('is refused for swaps in every way in which they are forged, and done for honest ones', async () => {
    for (const honest of honestSwaps(agent, sponsor)) {
      const { signature } = await signing.execute(honest.message, permitFor(honest), honest.resolvedAddresses);
      expect(verifySignature(honest.message, signature, agent)).toBe(true);
    }
    const sendable = waysOf(forgedSwaps(agent, sponsor)).flatMap((forged) => {
      const permit = permitFor(forged);
      return permit ? [{ ...forged, permit }] : [];
    });
    expect(sendable.length).toBeGreaterThanOrEqual(2_500);
    const signed: string[] = [];
    for (const { name, message, permit, resolvedAddresses } of sendable) {
      await signing.execute(message, permit, resolvedAddresses).then(
        () => signed.push(name),
        (error: unknown) => expect(error).toMatchObject({ code: 'SIGNING_REFUSED' }),
      );
    }
    expect(signed).toEqual([]);
  });
});
