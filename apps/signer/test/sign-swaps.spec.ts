import { signerV1 } from '@agent-wallet/contracts';
import { honestSwaps, type SwapCase } from '@agent-wallet/jupiter/corpus';
import { newId } from '@agent-wallet/kernel';
import { verifySignature } from '@agent-wallet/solana/checks';
import { honestMessages } from '@agent-wallet/solana/corpus';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimsFor, type Deployment, openDeployment, permitOf, type SignerClient } from './support.js';

let deployment: Deployment;
let swap: SignerClient;
let agent: { id: string; address: string };
let sponsor: string;

beforeAll(async () => {
  deployment = await openDeployment();
  const replica = await deployment.start();
  const wallet = await deployment.clientOf(replica, 'wallet');
  swap = await deployment.clientOf(replica, 'swap');
  const id = newId();
  agent = { id, address: (await wallet.createKey({ agentId: id })).address };
  const system = { wallet: signerV1.SystemWallet.SYSTEM_WALLET_SPONSOR };
  sponsor = (await wallet.createSystemKey(system)).address;
});
afterAll(() => deployment.close());

/** A request under a genuine permit of policy for the very bytes. */
function requestFor({ message, intent, resolvedAddresses }: Omit<SwapCase, 'scenario' | 'name'>): signerV1.SignRequest {
  return {
    message: Buffer.from(message),
    permit: permitOf(claimsFor(message, { agentId: agent.id, intent })),
    resolvedAddresses: resolvedAddresses.map((address) => Buffer.from(address)),
  };
}

/** Why the signer refuses; what it answered when it does not. */
async function refusalOf(request: signerV1.SignRequest): Promise<unknown> {
  return swap.sign(request).catch((error: { code: string; data: { reason?: string } }) => {
    expect(error.code).toBe('SIGNING_REFUSED');
    return error.data.reason;
  });
}

describe('Sign, for a swap', () => {
  it("signs every form with the agent's key, with the sponsor's where the intent has one, and with no other", async () => {
    for (const given of honestSwaps(agent.address, sponsor)) {
      const { signature, sponsorSignature } = await swap.sign(requestFor(given));
      expect(verifySignature(given.message, signature, agent.address)).toBe(true);
      const isSponsored = given.intent.sponsor !== undefined;
      expect(sponsorSignature && verifySignature(given.message, sponsorSignature, sponsor)).toBe(
        isSponsored || undefined,
      );
    }
  });

  it('refuses a sponsor that is not the operator’s', async () => {
    const [given] = honestSwaps(agent.address).filter(({ intent }) => intent.sponsor !== undefined);
    expect(await refusalOf(requestFor(given!))).toBe('sponsor_mismatch');
  });

  it('refuses other addresses of tables than those that were permitted, in any order but theirs', async () => {
    const given = honestSwaps(agent.address).find(({ resolvedAddresses }) => resolvedAddresses.length > 2)!;
    const honest = requestFor(given);
    expect(await refusalOf(honest)).toHaveProperty('signature');
    for (const resolvedAddresses of [
      [],
      honest.resolvedAddresses.slice(1),
      [...honest.resolvedAddresses].reverse(),
      [...honest.resolvedAddresses, Buffer.alloc(32)],
    ]) {
      expect(await refusalOf({ ...honest, resolvedAddresses })).toBe('message_lookup_table');
    }
  });

  it('refuses addresses of lookup tables for everything except a swap', async () => {
    const transfer = { ...honestMessages(agent.address)[0]!, resolvedAddresses: [Buffer.alloc(32)] };
    expect(await refusalOf(requestFor(transfer))).toBe('message_lookup_table');
    expect(await refusalOf(requestFor({ ...transfer, resolvedAddresses: [] }))).toHaveProperty('signature');
  });

  it('refuses a swap under the intent of a transfer, and a transfer under that of a swap', async () => {
    const [given] = honestSwaps(agent.address);
    const [transfer] = honestMessages(agent.address);
    const { resolvedAddresses } = given!;
    expect(await refusalOf(requestFor({ ...given!, intent: transfer!.intent }))).toMatch(/^message_/);
    expect(await refusalOf(requestFor({ ...given!, message: transfer!.message, resolvedAddresses }))).toMatch(
      /^message_/,
    );
  });
});
