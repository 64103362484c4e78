import { type intentV1, policyV1, type signerV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { messageHash } from '@agent-wallet/solana';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import type { Service } from '../src/infrastructure/infrastructure.js';
import { ALLOWED } from './harness/allowed-callers.js';
import { deploy, type Deployment } from './harness/deployment.js';
import { impersonate, RPC } from './harness/impostor.js';
import { messageOf, moveIntent, moveOf, swapIntent, transferIntent, type Victim, victimOf } from './harness/targets.js';

// Everything that a stolen certificate opens is called with arbitrary requests, made of what a thief would know. What
// comes of it is looked for on chain.

const CALLS_PER_METHOD = 8;
/** Of the methods that money hangs on. */
const MORE_CALLS = { authorize: 128, sign: 64, move: 32, transfer: 32 } as Readonly<Record<string, number>>;
const IN_FLIGHT = 8;
const USD = 1_000_000n;
const DAILY_LIMIT_USD = 20;
const PAYOUTS_PER_DAY_USD = 40;
/** The most that the network takes for everything that lands. */
const MOST_FEES = 5_000_000n;
/** A gateway may loosen any policy: docs/security.md says what follows, and this test leaves it out. */
const EXEMPT = ['updatePolicy'];

type Target = keyof typeof RPC;

let deployment: Deployment;
let victims: Victim[];
let thief: string;
let pool: Pool;

/** What requests are made of. */
interface Pool {
  readonly texts: Readonly<Record<string, readonly string[]>>;
  readonly intents: readonly intentV1.Intent[];
  /** Messages that could land, and what they do. */
  readonly built: ReadonlyArray<{ readonly intent: intentV1.Intent; readonly message: Buffer }>;
  readonly permits: policyV1.Permit[];
}

beforeAll(async () => {
  deployment = await deploy({ environment: { TREASURY_PAYOUT_DAILY_LIMIT_USD: String(PAYOUTS_PER_DAY_USD) } });
  victims = [await victimOf(deployment), await victimOf(deployment), await victimOf(deployment)];
  for (const { agent } of victims) await agent.patchPolicy({ dailyLimitInUsd: DAILY_LIMIT_USD });
  thief = (await victimOf(deployment)).agent.address;
  pool = await poolOf();
});

afterAll(() => deployment?.stop());

async function poolOf(): Promise<Pool> {
  const { treasury, sponsor } = deployment.systemWallets as Record<'treasury' | 'sponsor', string>;
  const wallets = [...victims.map(({ agent }) => agent.address), thief, treasury];
  const intents = wallets.flatMap((wallet) => [
    transferIntent(wallet, thief, USD),
    transferIntent(wallet, thief, 900n * USD),
    moveIntent('escrow', wallet, treasury, 5n * USD),
    moveIntent('payout', wallet, treasury, 30n * USD),
    swapIntent(wallet, 5n * USD),
  ]);
  const buildable = intents.filter(({ wallet, action }) => action?.$case !== 'swap' && wallet !== treasury);
  const built = await Promise.all(
    buildable.map(async (intent) => ({ intent, message: await messageOf(deployment, intent) })),
  );
  const operations = Array.from({ length: 6 }, () => newId());
  // The last victim is spent from by permits alone, so that its limit is left for them.
  const known = victims.slice(0, -1).map(({ agentId }) => agentId);
  const agents = [...known, newId(), '00000000-0000-0000-0000-000000000003'];
  const texts = {
    agentId: [...agents, ''],
    operationId: operations,
    to: [thief, treasury, sponsor, 'nobody'],
    mint: ['USDC', 'SOL', ''],
    amount: ['1', '5', '19.5', '900', '-1', '1e9', ''],
    place: ['treasury', 'exchange', ''],
  };
  return { texts, intents, built, permits: [] };
}

const oneOf = <Value>(values: readonly Value[]): Value => values[randomBytes(4).readUInt32LE() % values.length]!;

/** A request with something in every field that it has by itself. */
function arbitrary(target: Target, method: string): object {
  const { definition }: { definition: ServiceDefinition } = RPC[target];
  const empty = definition[method]!.requestDeserialize(Buffer.alloc(0)) as object;
  const fields = Object.entries(empty).map(([name, value]) => [name, valueOf(name, value)]);
  const request = Object.fromEntries(fields) as Record<string, unknown>;
  calls += 1;
  return { ...request, ...(calls % 2 === 0 ? fittingParts(method) : {}) };
}

/** Every other call fits, and each message has its turn: so enough is granted in every run. */
let calls = 0;
let authorized = 0;

/** What fits together, so that some of it is granted: an honest wallet could have asked for as much. */
function fittingParts(method: string): object {
  if (method === 'authorize') {
    const { intent, message } = pool.built[authorized++ % pool.built.length]!;
    const victim = victims.find(({ agent }) => agent.address === intent.wallet) ?? victims[0]!;
    const name = { operationId: newId(), step: 1, attempt: 1, agentId: victim.agentId };
    return { ...name, intent, messageHash: Buffer.from(messageHash(message)) };
  }
  if (method !== 'sign' || pool.permits.length === 0) return {};
  const permit = oneOf(pool.permits);
  const { messageHash: permitted } = policyV1.PermitClaims.decode(permit.claims);
  const message = pool.built.map((each) => each.message).find((one) => permitted.equals(messageHash(one)));
  return { permit, resolvedAddresses: [], ...(message ? { message } : {}) };
}

function valueOf(name: string, empty: unknown): unknown {
  switch (typeof empty) {
    case 'string':
      return oneOf(pool.texts[name] ?? ['', 'x', newId(), thief]);
    case 'number':
      return name === 'waitMs' ? 300 : oneOf([0, 1, 1, 2, 3, 1_000]);
    case 'bigint':
      return oneOf([0n, 1n, USD, 15n * USD, 1_000n * USD, 2n ** 64n - 1n]);
    case 'boolean':
      return oneOf([true, false]);
    default:
      return Buffer.isBuffer(empty) ? bytesFor(name) : partFor(name, empty);
  }
}

function bytesFor(name: string): Buffer {
  const message = oneOf(pool.built).message;
  if (name === 'messageHash') return Buffer.from(messageHash(message));
  if (name === 'message') return message;
  return oneOf([randomBytes(64), Buffer.alloc(0), Buffer.alloc(64)]);
}

function partFor(name: string, empty: unknown): unknown {
  const amount = oneOf([USD, 15n * USD, 30n * USD, 2n ** 63n]);
  if (name === 'intent') return oneOf(pool.intents);
  if (name === 'permit') return oneOf([undefined, ...pool.permits]);
  if (name === 'move') return moveOf(oneOf(['escrow', 'payout'] as const), amount);
  if (name === 'claims')
    return [{ scope: 'log', size: 1n, rootHash: Buffer.from(messageHash(oneOf(pool.built).message)) }];
  return Array.isArray(empty) ? [] : undefined;
}

/** Signatures that were given, with what they were asked for. */
const given: signerV1.SignRequest[] = [];

/** A thief sends what he gets. */
async function land(request: signerV1.SignRequest, signature: Buffer): Promise<void> {
  given.push(request);
  const transaction = Buffer.concat([Buffer.of(1), signature, request.message]).toString('base64');
  await fetch(deployment.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'sendTransaction' },
      params: [transaction, { encoding: 'base64', skipPreflight: true }],
    }),
  });
}

async function callAll(caller: Service | 'ops', target: Target, method: string): Promise<void> {
  const client = await impersonate(deployment, caller, target);
  const call = (client as unknown as Record<string, (request: object, options: object) => Promise<unknown>>)[method]!;
  for (let n = 0; n < (MORE_CALLS[method] ?? CALLS_PER_METHOD); n += IN_FLIGHT) {
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, async () => {
        const request = arbitrary(target, method);
        const answer = await call(request, { deadlineMs: 20_000 }).catch(() => undefined);
        const { permit, signature } = (answer ?? {}) as { permit?: policyV1.Permit; signature?: unknown };
        if (permit) pool.permits.push(permit);
        if (target === 'signer' && Buffer.isBuffer(signature)) await land(request as signerV1.SignRequest, signature);
      }),
    );
  }
  client.close();
}

const CALLERS = ['gateway', 'wallet', 'swap', 'prediction', 'history', 'ops'] as const;
const TARGETS = Object.keys(ALLOWED) as Target[];
/** Permits are asked for right before they are used: they expire. */
const rank = (method: string) => ['authorize', 'sign'].indexOf(method);
const OPENED = CALLERS.map((caller) => ({
  caller,
  methods: TARGETS.flatMap((target) =>
    Object.entries(ALLOWED[target])
      .filter(([method, callers]) => callers.includes(caller) && !EXEMPT.includes(method))
      .map(([method]) => ({ target, method })),
  ).sort((a, b) => rank(a.method) - rank(b.method)),
}));

const usdcOf = (address: string) => deployment.sandbox.balanceRaw(address, 'USDC');

describe('arbitrary calls', () => {
  it.each(OPENED)('with the certificate of $caller move no more than limits allow', async ({ caller, methods }) => {
    const treasury = deployment.systemWallets.treasury!;
    const before = await usdcOf(treasury);
    for (const { target, method } of methods) await callAll(caller, target, method);
    expect(before - (await usdcOf(treasury))).toBeLessThanOrEqual(BigInt(PAYOUTS_PER_DAY_USD) * USD);
    for (const { agent } of victims) {
      expect(await usdcOf(agent.address)).toBeGreaterThanOrEqual(BigInt(1_000 - DAILY_LIMIT_USD) * USD);
      const lamports = await deployment.sandbox.balanceRaw(agent.address, 'SOL');
      expect(lamports).toBeGreaterThanOrEqual(10n ** 9n - BigInt(DAILY_LIMIT_USD) * 10n ** 7n - MOST_FEES);
    }
  });

  it('had nothing signed but what a permit of the very agent was made for', () => {
    expect(pool.permits.length).toBeGreaterThan(5);
    expect(given.length).toBeGreaterThan(3);
    const agents = new Map(victims.map(({ agentId, agent }) => [agentId, agent.address]));
    for (const { message, permit } of given) {
      const { intent, messageHash: permitted, agentId } = policyV1.PermitClaims.decode(permit!.claims);
      expect(createHash('sha256').update(message).digest()).toEqual(permitted);
      expect(intent!.wallet).toBe(agents.get(agentId));
    }
  });
});
