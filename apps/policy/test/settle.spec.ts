import { policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from './database.js';
import {
  authorization,
  newWallet,
  type PolicyClient,
  startTestService,
  type TestService,
  transferIntent,
} from './service.js';

const { OUTCOME_OPEN, OUTCOME_SETTLED, OUTCOME_FAILED, OUTCOME_DEAD } = policyV1.Outcome;
/** A blockhash's life, and the margin of the settings. */
const LIFE_BLOCKS = 150 + 64;
/** How far finality is behind in the fake world. */
const FINALITY_BLOCKS = 32;

// Generous: the whole of policy runs here, maybe on a busy machine.
jest.setTimeout(30_000);

let service: TestService;
let gateway: PolicyClient;
let wallet: PolicyClient;
let agentId: string;

beforeAll(async () => {
  service = await startTestService();
  [gateway, wallet] = await Promise.all([service.as('gateway'), service.as('wallet')]);
}, 60_000);
afterAll(() => service.stop());
beforeEach(async () => {
  service.world.statusSlot = undefined;
  agentId = newId();
  await gateway.createPolicy({ agentId });
});

/** A permitted transfer of one dollar; policy has read a block height since. */
async function permitted() {
  const own = newWallet();
  const { request, message } = authorization(agentId, transferIntent(own.address));
  await wallet.authorize(request);
  const { operationId, step, attempt } = request;
  await eventually(async () => {
    const [row] = await service.database.rows<{ known: boolean }>(
      `select exists (select from chain_heads h join reservations r on h.last_asked_at >= r.created_at
       where r.operation_id = $1) as known`,
      operationId,
    );
    return row!.known;
  });
  const signature = own.sign(message);
  const shown = { operationId, step, attempt, message, signature };
  const unsigned = { ...shown, message: Buffer.alloc(0), signature: Buffer.alloc(0) };
  return { own, request, message, signature, shown, unsigned };
}

/** Lets just so many blocks be finalized that the message can no longer land. */
function passBound(): void {
  service.world.advance(LIFE_BLOCKS + FINALITY_BLOCKS + 1);
}

/** A finalized head is kept for a second: what is still open after that is open for another reason. */
async function keptHeadIsOver(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_100));
}

async function settle(request: policyV1.SettleRequest) {
  return (await wallet.settle(request)).outcome;
}

async function usage() {
  const { usedUsdMicros: used, reservedUsdMicros: reserved } = await gateway.getUsage({ agentId });
  return { used, reserved };
}

const RESERVED = { used: 0n, reserved: 1_000_000n };
const SPENT = { used: 1_000_000n, reserved: 0n };
const NOTHING = { used: 0n, reserved: 0n };

describe('a transaction that landed', () => {
  it.each(['confirmed', 'finalized'] as const)('is settled once %s', async (commitment) => {
    const { message, signature, shown } = await permitted();
    service.world.land(message, signature, { commitment });
    expect(await settle(shown)).toBe(OUTCOME_SETTLED);
    expect(await usage()).toEqual(SPENT);
    expect((await gateway.getUsage({ agentId })).resetsAtMs).toBeGreaterThan(BigInt(Date.now()));
  });

  it('is open while only processed', async () => {
    const { message, signature, shown } = await permitted();
    service.world.land(message, signature, { commitment: 'processed' });
    expect(await settle(shown)).toBe(OUTCOME_OPEN);
    expect(await usage()).toEqual(RESERVED);
  });

  it('is counted once however often and by however many it is settled', async () => {
    const { message, signature, shown } = await permitted();
    service.world.land(message, signature);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => settle(shown)));
    expect(new Set(outcomes)).toEqual(new Set([OUTCOME_SETTLED]));
    expect(await settle(shown)).toBe(OUTCOME_SETTLED);
    expect(await usage()).toEqual(SPENT);
  });

  it('stays counted when it is rolled back after all', async () => {
    const { message, signature, shown } = await permitted();
    service.world.land(message, signature, { commitment: 'confirmed' });
    await settle(shown);
    service.world.statuses.clear();
    passBound();
    expect(await settle(shown)).toBe(OUTCOME_SETTLED);
    expect(await usage()).toEqual(SPENT);
  });

  it('with an error is released only when that is final', async () => {
    const { message, signature, shown } = await permitted();
    service.world.land(message, signature, { commitment: 'confirmed', failed: true });
    expect(await settle(shown)).toBe(OUTCOME_OPEN);
    expect(await usage()).toEqual(RESERVED);
    service.world.land(message, signature, { failed: true });
    expect(await settle(shown)).toBe(OUTCOME_FAILED);
    expect(await usage()).toEqual(NOTHING);
  });

  it('gives no further permit', async () => {
    const { request, message, signature, shown } = await permitted();
    service.world.land(message, signature);
    await settle(shown);
    await expect(wallet.authorize(request)).rejects.toMatchObject({
      code: 'PERMIT_CONFLICT',
      data: { reason: 'attempt_is_over' },
    });
  });
});

describe('a caller that lies about the outcome', () => {
  it('cannot show a signature that is not genuine', async () => {
    const { message, signature, shown } = await permitted();
    service.world.land(message, signature, { failed: true });
    const forged = [Buffer.alloc(64, 7), newWallet().sign(message), Buffer.alloc(63), Buffer.alloc(1)];
    for (const each of forged) {
      await expect(settle({ ...shown, signature: each })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'signature' }],
      });
    }
    expect(await usage()).toEqual(RESERVED);
  });

  it('cannot show another message, though it failed genuinely', async () => {
    const { own, shown } = await permitted();
    const other = authorization(agentId, transferIntent(own.address)).message;
    const signature = own.sign(other);
    service.world.land(other, signature, { failed: true });
    for (const message of [other, Buffer.alloc(0), Buffer.from('junk')]) {
      await expect(settle({ ...shown, message, signature })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        details: [{ field: 'message' }],
      });
    }
    await expect(settle({ ...shown, message: other, signature: Buffer.alloc(0) })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(await usage()).toEqual(RESERVED);
  });

  it('cannot settle what was never permitted', async () => {
    const { shown } = await permitted();
    await expect(settle({ ...shown, operationId: newId() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(settle({ ...shown, attempt: 2 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('cannot have a living transaction declared dead', async () => {
    const { shown, unsigned } = await permitted();
    expect(await settle(shown)).toBe(OUTCOME_OPEN);
    expect(await settle(unsigned)).toBe(OUTCOME_OPEN);
    expect(await usage()).toEqual(RESERVED);
  });
});

describe('death', () => {
  it('needs a finalized height beyond the bound, not one block less', async () => {
    const { shown } = await permitted();
    service.world.advance(LIFE_BLOCKS + FINALITY_BLOCKS);
    await keptHeadIsOver();
    expect(await settle(shown)).toBe(OUTCOME_OPEN);
    service.world.advance(1);
    await eventually(async () => (await settle(shown)) === OUTCOME_DEAD);
    expect(await usage()).toEqual(NOTHING);
  });

  it('is not proven by a node that lags behind that height', async () => {
    const { shown } = await permitted();
    passBound();
    service.world.statusSlot = service.world.finalizedHeight + 1_000 - 1;
    await keptHeadIsOver();
    expect(await settle(shown)).toBe(OUTCOME_OPEN);
    expect(await usage()).toEqual(RESERVED);
    service.world.statusSlot += 1;
    expect(await settle(shown)).toBe(OUTCOME_DEAD);
    expect(await usage()).toEqual(NOTHING);
  });

  it('is not proven by a head that only claims confirmed blocks', async () => {
    const { shown } = await permitted();
    service.world.height += 10_000;
    await keptHeadIsOver();
    expect(await settle(shown)).toBe(OUTCOME_OPEN);
    service.world.height -= 10_000;
    expect(await usage()).toEqual(RESERVED);
  });

  it('is not proven while the node is away, and what was shown is kept', async () => {
    const { shown } = await permitted();
    service.world.nodeIsAway = true;
    const error = await settle(shown).catch((e: unknown) => e);
    service.world.nodeIsAway = false;
    expect(error).toMatchObject({ code: 'UPSTREAM_ERROR' });
    expect(await usage()).toEqual(RESERVED);
    const [row] = await service.database.rows(
      'select signature from reservations where operation_id = $1',
      shown.operationId,
    );
    expect(row!['signature']).toEqual(shown.signature);
  });

  it('opens the way for another attempt', async () => {
    const { request, shown } = await permitted();
    const again = { ...authorization(agentId, request.intent!).request, operationId: request.operationId, attempt: 2 };
    await expect(wallet.authorize(again)).rejects.toMatchObject({ data: { reason: 'prior_attempt_may_land' } });
    passBound();
    await eventually(async () => (await settle(shown)) === OUTCOME_DEAD);
    expect((await wallet.authorize(again)).reservedUsdMicros).toBe(1_000_000n);
    expect(await usage()).toEqual(RESERVED);
  });
});

describe('a message that nobody shows the signature of', () => {
  it('may still land up to the bound, and is open until that is finalized', async () => {
    const { unsigned } = await permitted();
    expect(await settle(unsigned)).toBe(OUTCOME_OPEN);
    service.world.advance(LIFE_BLOCKS + FINALITY_BLOCKS);
    expect(await settle(unsigned)).toBe(OUTCOME_OPEN);
    expect(await usage()).toEqual(RESERVED);
    service.world.advance(1);
    expect(await settle(unsigned)).toBe(OUTCOME_DEAD);
    expect(await usage()).toEqual(NOTHING);
  });

  it('is dead once it is not among what its wallet landed', async () => {
    const { own, unsigned } = await permitted();
    const other = authorization(agentId, transferIntent(own.address)).message;
    service.world.land(other, own.sign(other));
    passBound();
    await eventually(async () => (await settle(unsigned)) === OUTCOME_DEAD);
    expect(await usage()).toEqual(NOTHING);
  });

  it('is settled when it landed all the same', async () => {
    const { message, signature, unsigned } = await permitted();
    service.world.land(message, signature);
    passBound();
    await eventually(async () => (await settle(unsigned)) === OUTCOME_SETTLED);
    expect(await usage()).toEqual(SPENT);
  });

  it('is failed when it landed with an error', async () => {
    const { message, signature, unsigned } = await permitted();
    service.world.land(message, signature, { failed: true });
    passBound();
    await eventually(async () => (await settle(unsigned)) === OUTCOME_FAILED);
    expect(await usage()).toEqual(NOTHING);
  });
});

describe('an attempt that its owner has left', () => {
  /** Makes policy look now: no test waits for two minutes. */
  const due = () => service.database.rows(`update reservations set next_check_at = '-infinity' where state = 'open'`);

  it('is settled by policy itself once it was shown', async () => {
    const { message, signature, shown } = await permitted();
    expect(await settle(shown)).toBe(OUTCOME_OPEN);
    service.world.land(message, signature);
    await due();
    await eventually(async () => (await usage()).used === 1_000_000n);
    expect(await usage()).toEqual(SPENT);
  });

  it('is released by policy itself though it was never shown', async () => {
    const { shown } = await permitted();
    passBound();
    await due();
    await eventually(async () => (await usage()).reserved === 0n);
    expect(await usage()).toEqual(NOTHING);
    expect(await settle(shown)).toBe(OUTCOME_DEAD);
  });

  it('is looked at within seconds of a report that was open, and after minutes otherwise', async () => {
    const { shown } = await permitted();
    const dueIn = async () => {
      const [row] = await service.database.rows<{ seconds: number }>(
        'select extract(epoch from next_check_at - policy.now())::float as seconds from reservations where operation_id = $1',
        shown.operationId,
      );
      return row!.seconds;
    };
    expect(await dueIn()).toBeGreaterThan(60);
    await settle(shown);
    expect(await dueIn()).toBeLessThanOrEqual(10);
  });
});
