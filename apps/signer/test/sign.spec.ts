import { permitSigningInput, type policyV1, signerV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { buildMessage } from '@agent-wallet/solana';
import { verifySignature } from '@agent-wallet/solana/checks';
import { type CorpusCase, CORPUS_BLOCKHASH, honestMessages } from '@agent-wallet/solana/corpus';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  claimsFor,
  type Deployment,
  foreignKey,
  NO_TABLES,
  NOW_MS,
  openDeployment,
  permitOf,
  type SignerClient,
} from './support.js';

let deployment: Deployment;
let nowMs = NOW_MS;
let wallet: SignerClient;
let swap: SignerClient;
let other: SignerClient;
let agent: { id: string; address: string };
/** The signer's own. */
let sponsor: string;
let treasury: string;
let honest: CorpusCase;

beforeAll(async () => {
  deployment = await openDeployment();
  const [replica, second] = await Promise.all([deployment.start({ nowMs: () => nowMs }), deployment.start()]);
  wallet = await deployment.clientOf(replica, 'wallet');
  swap = await deployment.clientOf(replica, 'swap');
  other = await deployment.clientOf(second, 'wallet');
  agent = await newAgent();
  sponsor = (await wallet.createSystemKey({ wallet: signerV1.SystemWallet.SYSTEM_WALLET_SPONSOR })).address;
  treasury = (await wallet.createSystemKey({ wallet: signerV1.SystemWallet.SYSTEM_WALLET_TREASURY })).address;
  honest = honestMessages(agent.address)[0]!;
});
afterAll(() => deployment.close());

async function newAgent(): Promise<{ id: string; address: string }> {
  const id = newId();
  return { id, address: (await wallet.createKey({ agentId: id })).address };
}

type Change = Partial<policyV1.PermitClaims>;

/** A genuine permit of policy for a message. */
function permitFor({ message, intent }: CorpusCase, change: Change = {}): policyV1.Permit {
  return permitOf(claimsFor(message, { agentId: agent.id, intent, ...change }));
}

const requestFor = (given: CorpusCase, change: Change = {}) => ({
  ...NO_TABLES,
  message: Buffer.from(given.message),
  permit: permitFor(given, change),
});

/** A transfer whose fee another pays. */
function sponsored(by = sponsor): CorpusCase {
  return honestMessages(agent.address, { sponsor: by }).find(({ intent }) => intent.sponsor !== undefined)!;
}

/** Why the signer refuses; what it answered when it does not. */
async function refusalOf(request: Partial<signerV1.SignRequest>): Promise<unknown> {
  const { message = Buffer.alloc(0), permit, resolvedAddresses = [] } = request;
  return wallet
    .sign({ message, permit, resolvedAddresses })
    .catch((error: { code: string; data: { reason?: string } }) => {
      expect(error.code).toBe('SIGNING_REFUSED');
      return error.data.reason;
    });
}

describe('Sign', () => {
  it("signs every kind of message with the agent's key or the treasury's, and with the sponsor's where it pays", async () => {
    for (const given of honestMessages(agent.address, { sponsor, treasury })) {
      const { signature, sponsorSignature } = await wallet.sign(requestFor(given));
      const signer = given.intent.action?.$case === 'payout' ? treasury : agent.address;
      expect(verifySignature(given.message, signature, signer)).toBe(true);
      const isSponsored = given.intent.sponsor !== undefined;
      expect(sponsorSignature && verifySignature(given.message, sponsorSignature, sponsor)).toBe(
        isSponsored ? true : undefined,
      );
    }
  });

  it('gives the same signatures again, under another permit, to swap too, and at another replica', async () => {
    for (const given of [honest, sponsored()]) await expectSame(given);
  });

  async function expectSame(given: CorpusCase): Promise<void> {
    const answers = await Promise.all([
      wallet.sign(requestFor(given)),
      wallet.sign(requestFor(given, { attempt: 2 })),
      swap.sign(requestFor(given)),
      other.sign(requestFor(given)),
    ]);
    const texts = answers.map((answer) => [answer.signature, answer.sponsorSignature].map(String).join());
    expect(new Set(texts).size).toBe(1);
  }

  it.each([
    [0, undefined],
    [60_000, undefined],
    [60_001, 'permit_expired'],
    [-5_000, undefined],
    [-5_001, 'permit_not_yet_valid'],
  ])('takes a permit %i ms after it was issued: %s', async (afterMs, reason) => {
    nowMs = NOW_MS + afterMs;
    try {
      const refusal = await refusalOf(requestFor(honest));
      if (reason) expect(refusal).toBe(reason);
      else expect(refusal).toHaveProperty('signature');
    } finally {
      nowMs = NOW_MS;
    }
  });

  it('refuses without a permit, under a tampered one, and under one that policy did not sign', async () => {
    const { message, permit } = requestFor(honest);
    const changed = Buffer.from(permit.claims);
    changed[changed.length - 1]! ^= 1;
    const claims = claimsFor(message, { agentId: agent.id, intent: honest.intent });
    expect(await refusalOf({ message, permit: undefined })).toBe('permit_missing');
    expect(await refusalOf({ message, permit: { ...permit, claims: changed } })).toBe('permit_signature');
    expect(await refusalOf({ message, permit: permitOf(claims, foreignKey.privateKey) })).toBe('permit_signature');
    expect(await refusalOf({ message, permit: { ...permit, keyId: 'another' } })).toBe('permit_key_unknown');
  });

  it('refuses a permit that was made for another message', async () => {
    const [first, second] = honestMessages(agent.address);
    const request = { message: Buffer.from(first!.message), permit: permitFor(second!) };
    expect(await refusalOf(request)).toBe('permit_message_hash');
    const { messageHash } = claimsFor(second!.message, {});
    expect(await refusalOf(requestFor(first!, { messageHash }))).toBe('permit_message_hash');
  });

  it("refuses to spend from a wallet that is not the agent's", async () => {
    const stranger = await newAgent();
    expect(await refusalOf(requestFor(honest, { agentId: stranger.id }))).toBe('wallet_mismatch');
    const theirs = honestMessages(stranger.address)[0]!;
    expect(await refusalOf(requestFor(theirs))).toBe('wallet_mismatch');
    expect(await refusalOf(requestFor(honest, { agentId: newId() }))).toBe('wallet_unknown');
  });

  it('refuses a sponsor that is not its own, also one whose key it has', async () => {
    const stranger = await newAgent();
    const fees = await wallet.createSystemKey({ wallet: signerV1.SystemWallet.SYSTEM_WALLET_FEES });
    for (const another of [stranger.address, fees.address]) {
      expect(await refusalOf(requestFor(sponsored(another)))).toBe('sponsor_mismatch');
    }
    expect(await refusalOf(requestFor(sponsored()))).toHaveProperty('sponsorSignature');
  });

  it("refuses the sponsor's own money, to whomever", async () => {
    const { message, intent } = honestMessages(sponsor)[0]!;
    const request = (agentId: string) => requestFor({ ...honest, message, intent }, { agentId });
    expect(await refusalOf(request(agent.id))).toBe('wallet_mismatch');
    expect(await refusalOf(request('00000000-0000-0000-0000-000000000001'))).toBe('permit_malformed');
  });

  it('refuses the honest intent of one wallet over a message of another', async () => {
    const stranger = await newAgent();
    const mixed = { ...honest, message: honestMessages(stranger.address)[0]!.message };
    expect(await refusalOf(requestFor(mixed))).toMatch(/^message_/);
  });
});

describe('a message that does something else than its permit says', () => {
  it('is refused when it is not a message', async () => {
    for (const message of [Buffer.alloc(0), Buffer.alloc(1), Buffer.alloc(100_000), Buffer.from('ff', 'hex')]) {
      expect(await refusalOf(requestFor({ ...honest, message }))).toBe('message_malformed');
    }
  });

  it('never is a permit', async () => {
    const message = permitSigningInput(permitFor(honest).claims);
    expect(await refusalOf(requestFor({ ...honest, message }))).toBe('message_malformed');
  });

  it.each([
    [95_000n, undefined],
    [95_001n, 'message_network_fee'],
  ])(
    'is refused above 100 000 lamports for the network: beside a signature %d: %s',
    async (priorityLamports, reason) => {
      const { intent } = honest;
      const budget = { computeUnitLimit: 1_000, priorityLamports };
      const message = buildMessage({ intent, blockhash: CORPUS_BLOCKHASH, ...budget });
      const refusal = await refusalOf(requestFor({ ...honest, message }));
      if (reason) expect(refusal).toBe(reason);
      else expect(refusal).toHaveProperty('signature');
    },
  );
});
