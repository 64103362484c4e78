import { type intentV1, policyV1, signerV1 } from '@agent-wallet/contracts';
import { forgedSwaps, honestSwaps } from '@agent-wallet/jupiter/corpus';
import { newId } from '@agent-wallet/kernel';
import { forgedMessages, freeBytes, honestMessages } from '@agent-wallet/solana/corpus';
import { testSeed } from '@agent-wallet/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { claimsFor, type Deployment, openDeployment, permitOf, type SignerClient } from './support.js';

/** Calls at once, so that thousands take seconds. */
const IN_FLIGHT = 32;
/** How many forgeries of the corpora, and how many changes of single bytes, each run draws for each kind. */
const FORGERIES = 12;
const DAMAGES = 12;

/** Bytes to be signed, and what was permitted. */
interface Asked {
  /** The kind of transaction. */
  readonly kind: string;
  readonly name: string;
  readonly intent: intentV1.Intent;
  readonly message: Uint8Array;
  readonly resolvedAddresses: readonly Uint8Array[];
  readonly step?: number;
}

let deployment: Deployment;
let signer: SignerClient;
let agent: { id: string; address: string };
let operator: { sponsor: string; treasury: string };
let honest: Asked[];
let forged: Map<string, Asked[]>;
/** So that a failure can be had again. */
const seed = testSeed();

beforeAll(async () => {
  deployment = await openDeployment();
  signer = await deployment.clientOf(await deployment.start(), 'wallet');
  const id = newId();
  agent = { id, address: (await signer.createKey({ agentId: id })).address };
  const { SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_TREASURY } = signerV1.SystemWallet;
  const [sponsor, treasury] = await Promise.all(
    [SYSTEM_WALLET_SPONSOR, SYSTEM_WALLET_TREASURY].map((wallet) => signer.createSystemKey({ wallet })),
  );
  operator = { sponsor: sponsor!.address, treasury: treasury!.address };
  honest = everyHonest();
  forged = everyForged();
});
afterAll(() => deployment.close());

/** One message of every kind. A refund is a payout that comes after the escrow of its operation. */
function everyHonest(): Asked[] {
  const built = honestMessages(agent.address, operator).map(({ scenario, ...rest }) => ({
    ...{ ...rest, kind: scenario, resolvedAddresses: [] },
  }));
  const swaps = honestSwaps(agent.address, operator.sponsor).map(({ scenario, ...rest }) => ({
    ...rest,
    kind: `trade, ${scenario}`,
  }));
  const refunds = built
    .filter(({ kind }) => kind === 'payout')
    .map((payout) => ({ ...payout, kind: 'refund', step: 3 }));
  return [...built, ...swaps, ...refunds];
}

/** Everything that was forged of them, under its honest intent or a forged one, by kind. */
function everyForged(): Map<string, Asked[]> {
  const built = forgedMessages(agent.address, operator).map(({ scenario, ...rest }) => ({
    ...{ ...rest, kind: scenario, resolvedAddresses: [] },
  }));
  const swaps = forgedSwaps(agent.address, operator.sponsor).map(({ scenario, ...rest }) => ({
    ...rest,
    kind: `trade, ${scenario}`,
  }));
  const refunds = built
    .filter(({ kind }) => kind === 'payout')
    .map((payout) => ({ ...payout, kind: 'refund', step: 3 }));
  const byKind = new Map<string, Asked[]>();
  for (const each of [...built, ...swaps, ...refunds].filter(canBeSent)) {
    const known = byKind.get(each.kind);
    if (known) known.push(each);
    else byKind.set(each.kind, [each]);
  }
  return byKind;
}

/** Of each way to forge one message: the last, which has most in it. Of the many ways to forge a trade, a part. */
function everyWay(byKind: ReadonlyMap<string, readonly Asked[]>): Asked[] {
  const isTrade = ({ kind }: Asked) => kind.startsWith('trade');
  const lastOf = (all: readonly Asked[]) => [
    ...new Map(all.map((each) => [each.name.slice(each.name.indexOf(': ')), each])).values(),
  ];
  const all = [...byKind.values()].flat();
  const trades = lastOf(all.filter(isTrade)).filter((_, i) => i % 5 === seed % 5);
  return [...lastOf(all.filter((each) => !isTrade(each))), ...trades];
}

/** Some forged intents have numbers that no request can carry. */
function canBeSent({ intent }: Asked): boolean {
  try {
    return policyV1.PermitClaims.encode(claimsFor(Buffer.alloc(0), { intent })).finish().length > 0;
  } catch {
    return false;
  }
}

/** A request under a genuine permit for the given bytes: those of the request, unless others are given. */
function requestFor(asked: Asked, permitted = asked.message): signerV1.SignRequest {
  const { message, intent, step = 1, resolvedAddresses } = asked;
  return {
    message: Buffer.from(message),
    permit: permitOf(claimsFor(permitted, { agentId: agent.id, intent, step })),
    resolvedAddresses: resolvedAddresses.map((address) => Buffer.from(address)),
  };
}

async function answerOf(request: signerV1.SignRequest): Promise<string> {
  return signer.sign(request).then(
    () => 'signed',
    (error: { code: string; data: { reason?: string } }) => `${error.code} ${error.data?.reason}`,
  );
}

/** Those that are answered in any other way than expected. */
async function notRefused<Case>(cases: readonly Case[], ask: (one: Case) => signerV1.SignRequest, expected: RegExp) {
  const wrong: Array<{ answer: string; one: Case }> = [];
  for (let i = 0; i < cases.length; i += IN_FLIGHT) {
    const some = cases.slice(i, i + IN_FLIGHT);
    const answers = await Promise.all(some.map((one) => answerOf(ask(one))));
    answers.forEach((answer, n) => expected.test(answer) || wrong.push({ answer, one: some[n]! }));
  }
  return wrong;
}

const damage = fc.record({
  how: fc.constantFrom('flip' as const, 'set' as const, 'insert' as const, 'remove' as const, 'append' as const),
  at: fc.nat({ max: 2_000 }),
  value: fc.integer({ min: 1, max: 255 }),
});

/** The bytes with one of them changed, but for those that a builder may choose. */
function damaged(message: Uint8Array, { how, at: place, value }: ReturnType<typeof damage.generate>['value']) {
  const free = freeBytes(message);
  let at = place % message.length;
  while (free.has(at)) at = (at + 1) % message.length;
  const bytes = [...message];
  if (how === 'flip') bytes[at]! ^= 1 << (value % 8);
  if (how === 'set') bytes[at] = (bytes[at]! + value) % 256;
  if (how === 'insert') bytes.splice(at, 0, value);
  if (how === 'remove') bytes.splice(at, 1);
  if (how === 'append') bytes.push(...bytes.slice(-1 - (value % 40)));
  return Uint8Array.from(bytes);
}

/** Of each kind some. */
function drawn(byKind: ReadonlyMap<string, readonly Asked[]>): Asked[] {
  return [...byKind.values()].flatMap((all, n) => {
    const some = fc.shuffledSubarray([...all], { minLength: FORGERIES, maxLength: FORGERIES });
    return fc.sample(some, { numRuns: 1, seed: seed + n })[0]!;
  });
}

/** Of each message some with another byte, but for trades. */
function changed(all: readonly Asked[]): Asked[] {
  return all
    .filter(({ kind }) => !kind.startsWith('trade'))
    .flatMap((one, n) => damages(DAMAGES, n).map((each) => ({ ...one, message: damaged(one.message, each) })));
}

const damages = (count: number, salt: number) => fc.sample(damage, { numRuns: count, seed: seed + salt });

describe(`mutations of every kind of transaction (seed ${seed})`, () => {
  it('covers every kind', () => {
    const kinds = [...new Set(honest.map(({ kind }) => kind))];
    expect(kinds.length).toBeGreaterThanOrEqual(35);
    expect(kinds.filter((kind) => (forged.get(kind)?.length ?? 0) < 10 * FORGERIES)).toEqual([]);
  });

  it.each<[string, () => readonly Asked[], number]>([
    ['by every way to forge one', () => everyWay(forged), 1_500],
    ['by forgeries of each kind, drawn at random', () => drawn(forged), 35 * FORGERIES],
    ['by a change of a single byte', () => changed(honest), 20 * DAMAGES],
  ])(
    'signs none that does something else %s, though policy permitted its very bytes under the honest intent',
    async (_, made, atLeast) => {
      const all = made();
      expect(all.length).toBeGreaterThanOrEqual(atLeast);
      const refused = /^SIGNING_REFUSED (message_\w+|(wallet|sponsor|treasury)_mismatch|permit_malformed)$/;
      const wrong = await notRefused(all, (one) => requestFor(one), refused);
      expect(wrong.map(({ one, answer }) => `${one.name}: ${answer}`)).toEqual([]);
    },
  );

  it('signs none under the permit of the honest bytes', async () => {
    const all = honest.flatMap((one, n) =>
      damages(DAMAGES, n + 1_000).map((each) => ({
        ...one,
        message: damaged(one.message, each),
        permitted: one.message,
      })),
    );
    expect(all.length).toBeGreaterThanOrEqual(500);
    const wrong = await notRefused(
      all,
      ({ permitted, ...one }) => requestFor(one, permitted),
      /^SIGNING_REFUSED permit_message_hash$/,
    );
    expect(wrong.map(({ one, answer }) => `${one.name}: ${answer}`)).toEqual([]);
  });

  it('signs none under a permit of which a single bit was changed', async () => {
    const bits = fc.sample(fc.nat({ max: 100_000 }), { numRuns: 3 * honest.length, seed });
    const cases = bits.map((bit, n) => ({ bit, one: honest[n % honest.length]! }));
    const wrong = await notRefused(
      cases,
      ({ one, bit }) => withFlippedBit(requestFor(one), bit),
      /^SIGNING_REFUSED permit_/,
    );
    expect(wrong.map(({ one: { one, bit }, answer }) => `${one.name}, bit ${bit}: ${answer}`)).toEqual([]);
  });

  it('signs none under the intent of another kind', async () => {
    const trades = honest.filter(({ kind }) => kind.startsWith('trade'));
    const others = honest.filter(({ kind }) => !kind.startsWith('trade'));
    // Of the same kind there may be one message in both versions.
    const pairs = [...trades, ...others].flatMap((one, n) =>
      (n % 3 === 0 ? [...others, ...trades] : [])
        .filter(({ intent }) => policyOf(intent) !== policyOf(one.intent))
        .map((other) => ({ ...one, intent: other.intent })),
    );
    expect(pairs.length).toBeGreaterThanOrEqual(500);
    const wrong = await notRefused(pairs, (one) => requestFor(one), /^SIGNING_REFUSED message_/);
    expect(wrong.map(({ one, answer }) => `${one.name}: ${answer}`)).toEqual([]);
  });
});

/** The intent as policy writes it into a permit. */
const policyOf = (intent: intentV1.Intent) =>
  Buffer.from(policyV1.PermitClaims.encode(claimsFor(Buffer.alloc(0), { ...NO_IDS, intent })).finish()).toString('hex');

const NO_IDS = { permitId: newId(), operationId: newId(), agentId: newId() };

function withFlippedBit({ permit, ...rest }: signerV1.SignRequest, bit: number): signerV1.SignRequest {
  const { claims, signature, keyId } = permit!;
  const bytes = Buffer.concat([claims, signature]);
  bytes[(bit >> 3) % bytes.length]! ^= 1 << (bit & 7);
  return {
    ...rest,
    permit: { keyId, claims: bytes.subarray(0, claims.length), signature: bytes.subarray(claims.length) },
  };
}
