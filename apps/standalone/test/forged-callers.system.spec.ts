import type { intentV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { buildMessage, messageHash } from '@agent-wallet/solana';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AgentClient } from '../src/index.js';
import { type Deployment, shareDeployment } from './harness/deployment.js';
import { impersonate } from './harness/impostor.js';
import { newRecipient } from './harness/recipient.js';
import { usageOf } from './harness/spending.js';

// A caller that holds the wallet's own certificate, and lies. It is the worst that can get in beside the signer.

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

let deployment: Deployment;
let policy: Awaited<ReturnType<typeof impersonate<'policy'>>>;
let signer: Awaited<ReturnType<typeof impersonate<'signer'>>>;

beforeAll(async () => {
  deployment = await shareDeployment();
  policy = await impersonate(deployment, 'wallet', 'policy');
  signer = await impersonate(deployment, 'wallet', 'signer');
});

afterAll(async () => {
  policy?.close();
  signer?.close();
});

interface Victim {
  readonly agent: AgentClient;
  readonly agentId: string;
}

/** An agent with money. Its id is read from its token, which works for every holder of the token. */
async function victim(): Promise<Victim> {
  const agent = await deployment.agent({ SOL: 1, USDC: 1_000 });
  const claims = JSON.parse(Buffer.from(agent.token.split('.')[1]!, 'base64url').toString()) as { sub: string };
  return { agent, agentId: claims.sub };
}

function usdcIntent(wallet: string, recipient: string, amount: bigint, more: Partial<intentV1.Transfer> = {}) {
  const value = {
    recipient,
    mint: USDC,
    tokenProgram: TOKEN_PROGRAM,
    amount,
    decimals: 6,
    createsRecipientAccount: true,
    memo: '',
    ...more,
  };
  return { wallet, action: { $case: 'transfer' as const, value } } satisfies intentV1.Intent;
}

async function blockhash(): Promise<string> {
  const response = await fetch(deployment.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getLatestBlockhash', params: [] }),
  });
  const { result } = (await response.json()) as { result: { value: { blockhash: string } } };
  return result.value.blockhash;
}

async function messageOf(intent: intentV1.Intent): Promise<Buffer> {
  return Buffer.from(buildMessage({ intent, blockhash: await blockhash() }));
}

function attempt(agentId: string, intent: intentV1.Intent, message: Uint8Array, operationId = newId()) {
  return { operationId, step: 1, attempt: 1, agentId, intent, messageHash: Buffer.from(messageHash(message)) };
}

describe('a caller with the certificate of the wallet', () => {
  it('gets no signature for a message that does more than the intent it had permitted', async () => {
    const { agent, agentId } = await victim();
    const honest = usdcIntent(agent.address, newRecipient(), 1_000_000n);
    const greedy = await messageOf(usdcIntent(agent.address, newRecipient(), 900_000_000n));
    const { permit } = await policy.authorize(attempt(agentId, honest, greedy));
    await expect(signer.sign({ message: greedy, permit, resolvedAddresses: [] })).rejects.toMatchObject({
      code: 'SIGNING_REFUSED',
    });
  });

  it('gets no permit for more than the limit, with any decimals that it claims', async () => {
    const { agent, agentId } = await victim();
    for (const decimals of [0, 9, 12]) {
      const intent = usdcIntent(agent.address, newRecipient(), 900_000_000n, { decimals });
      await expect(policy.authorize(attempt(agentId, intent, await messageOf(intent)))).rejects.toBeDefined();
    }
    expect((await usageOf(agent)).reserved).toBe(0n);
  });

  it('cannot spend from the wallet of an agent under the limits of another', async () => {
    const [rich, other] = await Promise.all([victim(), victim()]);
    const intent = usdcIntent(rich.agent.address, newRecipient(), 1_000_000n);
    const message = await messageOf(intent);
    const { permit } = await policy.authorize(attempt(other.agentId, intent, message));
    await expect(signer.sign({ message, permit, resolvedAddresses: [] })).rejects.toMatchObject({
      code: 'SIGNING_REFUSED',
    });
  });

  it('cannot have a second message permitted for one attempt', async () => {
    const { agent, agentId } = await victim();
    const operationId = newId();
    const intent = usdcIntent(agent.address, newRecipient(), 1_000_000n);
    await policy.authorize(attempt(agentId, intent, await messageOf(intent), operationId));
    const other = await messageOf({
      ...intent,
      action: { ...intent.action, value: { ...intent.action.value, memo: 'x' } },
    });
    await expect(policy.authorize(attempt(agentId, intent, other, operationId))).rejects.toMatchObject({
      code: 'PERMIT_CONFLICT',
    });
  });

  it('cannot change a permit', async () => {
    const { agent, agentId } = await victim();
    const intent = usdcIntent(agent.address, newRecipient(), 1_000_000n);
    const message = await messageOf(intent);
    const { permit } = await policy.authorize(attempt(agentId, intent, message));
    const claims = Buffer.from(permit!.claims);
    claims[claims.length - 1]! ^= 1;
    await expect(signer.sign({ message, permit: { ...permit!, claims }, resolvedAddresses: [] })).rejects.toMatchObject(
      {
        code: 'SIGNING_REFUSED',
      },
    );
  });

  it('cannot have a reservation released by lying about the outcome', async () => {
    const { agent, agentId } = await victim();
    const operationId = newId();
    const intent = usdcIntent(agent.address, newRecipient(), 80_000_000n);
    const message = await messageOf(intent);
    const { permit } = await policy.authorize(attempt(agentId, intent, message, operationId));
    const { signature } = await signer.sign({ message, permit, resolvedAddresses: [] });
    const failed = await agent.transfer({ to: newRecipient(), amount: 5_000, mint: 'USDC' });
    expect(failed.status).toBeGreaterThanOrEqual(400);
    const settle = { operationId, step: 1, attempt: 1 };
    const lies = [
      { ...settle, message, signature: Buffer.alloc(64, 7) },
      { ...settle, message: await messageOf(usdcIntent(agent.address, newRecipient(), 1n)), signature },
      { ...settle, message, signature: Buffer.alloc(0) },
    ];
    for (const lie of lies) await policy.settle(lie).catch(() => undefined);
    expect((await usageOf(agent)).reserved).toBeGreaterThanOrEqual(80_000_000n);
  });

  it('cannot use a permit twice for two effects: the bytes are the same, and land once', async () => {
    const { agent, agentId } = await victim();
    const intent = usdcIntent(agent.address, newRecipient(), 1_000_000n);
    const message = await messageOf(intent);
    const { permit } = await policy.authorize(attempt(agentId, intent, message));
    const [first, second] = await Promise.all([
      signer.sign({ message, permit, resolvedAddresses: [] }),
      signer.sign({ message, permit, resolvedAddresses: [] }),
    ]);
    expect(Buffer.compare(first.signature, second.signature)).toBe(0);
  });

  it('is refused for the missing price rather than have a token counted as nothing', async () => {
    const { agent, agentId } = await victim();
    const mint = await deployment.sandbox.createMint({ symbol: 'DUST', decimals: 6, program: 'token' });
    const intent = usdcIntent(agent.address, newRecipient(), 1n, { mint });
    await expect(policy.authorize(attempt(agentId, intent, await messageOf(intent)))).rejects.toMatchObject({
      code: 'POLICY_VIOLATION',
      data: { rule: 'price_unavailable' },
    });
  });
});
