import { type intentV1, type policyV1, signerV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { buildMessage } from '@agent-wallet/solana';
import { addressOf, TOKEN_PROGRAM, verifySignature } from '@agent-wallet/solana/checks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { claimsFor, type Deployment, NO_TABLES, openDeployment, permitOf, type SignerClient } from './support.js';

/** A wallet whose key the signer does not hold. */
const OUTSIDE = addressOf(
  generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32),
);
const USDC = addressOf(randomBytes(32));
const TREASURY_ID = '00000000-0000-0000-0000-000000000003';
const { SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_FEES, SYSTEM_WALLET_TREASURY } = signerV1.SystemWallet;

let deployment: Deployment;
let wallet: SignerClient;
let agent: { id: string; address: string };
let sponsor: string;
let fees: string;
let treasury: string;

beforeAll(async () => {
  deployment = await openDeployment();
  wallet = await deployment.clientOf(await deployment.start(), 'wallet');
  agent = await newAgent();
  const [first, second, third] = await Promise.all(
    [SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_FEES, SYSTEM_WALLET_TREASURY].map((each) =>
      wallet.createSystemKey({ wallet: each }),
    ),
  );
  [sponsor, fees, treasury] = [first!.address, second!.address, third!.address];
});
afterAll(() => deployment.close());

async function newAgent(): Promise<{ id: string; address: string }> {
  const id = newId();
  return { id, address: (await wallet.createKey({ agentId: id })).address };
}

const usdc = () => ({ treasury, mint: USDC, tokenProgram: TOKEN_PROGRAM, decimals: 6, amount: 1_000_000n });

function payout(change: Partial<intentV1.Payout> = {}, to = agent.address): intentV1.Intent {
  return { wallet: to, action: { $case: 'payout', value: { ...usdc(), createsRecipientAccount: false, ...change } } };
}

function escrow(change: Partial<intentV1.Escrow> = {}, from = agent.address): intentV1.Intent {
  return { wallet: from, action: { $case: 'escrow', value: { ...usdc(), ...change } } };
}

function transfer(from: string): intentV1.Intent {
  const { mint, tokenProgram, decimals, amount } = usdc();
  const value = { recipient: OUTSIDE, mint, tokenProgram, decimals, amount };
  return { wallet: from, action: { $case: 'transfer', value: { ...value, createsRecipientAccount: false, memo: '' } } };
}

const built = (intent: intentV1.Intent) => Buffer.from(buildMessage({ intent, blockhash: addressOf(randomBytes(32)) }));

/** Asks for the signature of a message under a genuine permit: of what the intent says, unless another is given. */
function sign(intent: intentV1.Intent, message = built(intent), change: Partial<policyV1.PermitClaims> = {}) {
  const permit = permitOf(claimsFor(message, { agentId: agent.id, intent, ...change }));
  return wallet.sign({ ...NO_TABLES, message, permit });
}

const refusalOf = (...asked: Parameters<typeof sign>): Promise<unknown> =>
  sign(...asked).catch((error: { data: { reason?: string } }) => error.data.reason);

describe('a payout', () => {
  it.each([false, true])('is signed by the treasury alone, to a new account: %s', async (createsRecipientAccount) => {
    const message = built(payout({ createsRecipientAccount }));
    const { signature, sponsorSignature } = await sign(payout({ createsRecipientAccount }), message);
    expect(verifySignature(message, signature, treasury)).toBe(true);
    expect(sponsorSignature).toBeUndefined();
  });

  it("goes to the wallet of the permit's agent, and to no other", async () => {
    const stranger = await newAgent();
    for (const other of [stranger.address, OUTSIDE, sponsor, fees]) {
      expect(await refusalOf(payout({}, other))).toBe('wallet_mismatch');
      expect(await refusalOf(payout(), built(payout({}, other)))).toMatch(/^message_/);
    }
    expect(await refusalOf(payout(), undefined, { agentId: stranger.id })).toBe('wallet_mismatch');
    expect(await refusalOf(payout(), undefined, { agentId: newId() })).toBe('wallet_unknown');
    expect(await refusalOf(payout({}, treasury), built(payout()))).toBe('wallet_mismatch');
  });

  it('comes from the treasury and from no other key that is here', async () => {
    const stranger = await newAgent();
    for (const other of [stranger.address, sponsor, fees, OUTSIDE]) {
      expect(await refusalOf(payout({ treasury: other }))).toBe('treasury_mismatch');
    }
    const ofItself = payout({ treasury: agent.address });
    expect(await refusalOf(ofItself, built(payout()))).toBe('treasury_mismatch');
  });

  it('is refused with a sponsor', async () => {
    const sponsored = { ...payout(), sponsor, maxNetworkFeeLamports: 10_000n };
    expect(await refusalOf(sponsored, built(payout()))).toBe('message_intent');
  });
});

describe('an escrow', () => {
  it('is signed by the agent alone, or with the sponsor', async () => {
    const message = built(escrow());
    const { signature, sponsorSignature } = await sign(escrow(), message);
    expect(verifySignature(message, signature, agent.address)).toBe(true);
    expect(sponsorSignature).toBeUndefined();
    const sponsored = { ...escrow(), sponsor, maxNetworkFeeLamports: 10_000n };
    const both = built(sponsored);
    const signed = await sign(sponsored, both);
    expect(verifySignature(both, signed.signature, agent.address)).toBe(true);
    expect(verifySignature(both, signed.sponsorSignature!, sponsor)).toBe(true);
  });

  it("is never of another's money", async () => {
    const stranger = await newAgent();
    expect(await refusalOf(escrow({}, stranger.address))).toBe('wallet_mismatch');
    expect(await refusalOf(escrow({ treasury: stranger.address }, treasury))).toBe('wallet_mismatch');
  });
});

describe("the treasury's key", () => {
  it('signs nothing but payouts', async () => {
    const unwrap: intentV1.Intent = {
      wallet: treasury,
      action: { $case: 'unwrap', value: { amount: 1n, remainder: 0n } },
    };
    for (const intent of [transfer(treasury), unwrap, escrow({ treasury: OUTSIDE }, treasury)]) {
      expect(await refusalOf(intent)).toBe('wallet_mismatch');
      expect(await refusalOf(intent, undefined, { agentId: TREASURY_ID })).toBe('permit_malformed');
      expect(await refusalOf(payout(), built(intent))).toMatch(/^message_/);
    }
  });

  it('never pays as a sponsor', async () => {
    const sponsored = { ...transfer(agent.address), sponsor: treasury, maxNetworkFeeLamports: 10_000n };
    expect(await refusalOf(sponsored)).toBe('sponsor_mismatch');
  });

  it('cannot be created as an agent’s', async () => {
    await expect(wallet.createKey({ agentId: TREASURY_ID })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('the wallets of the operator', () => {
  it('sign nothing in their own name, under any permit', async () => {
    const ids = [1, 2, 3, 4, 5].map((n) => `00000000-0000-0000-0000-00000000000${n}`);
    for (const address of [sponsor, fees, treasury]) {
      for (const agentId of ids) {
        expect(await refusalOf(transfer(address), undefined, { agentId })).toBe('permit_malformed');
      }
      expect(await refusalOf(transfer(address))).toBe('wallet_mismatch');
    }
  });
});

describe('a signer without a treasury', () => {
  it('signs no payout', async () => {
    const other = await openDeployment();
    try {
      const client = await other.clientOf(await other.start(), 'wallet');
      const { address } = await client.createKey({ agentId: agent.id });
      const message = built(payout({}, address));
      const permit = permitOf(claimsFor(message, { agentId: agent.id, intent: payout({}, address) }));
      await expect(client.sign({ ...NO_TABLES, message, permit })).rejects.toMatchObject({
        data: { reason: 'treasury_mismatch' },
      });
    } finally {
      await other.close();
    }
  });
});
