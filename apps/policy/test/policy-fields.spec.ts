import { auditV1, policyV1 } from '@agent-wallet/contracts';
import { newId } from '@agent-wallet/kernel';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newWallet, type PolicyClient, startTestService, type TestService } from './service.js';

// Generous: the whole of policy runs here, maybe on a busy machine.

let service: TestService;
let gateway: PolicyClient;
let agentId: string;

beforeAll(async () => {
  service = await startTestService();
  gateway = await service.as('gateway');
});
afterAll(() => service.stop());
beforeEach(async () => {
  agentId = newId();
  await gateway.createPolicy({ agentId, namedOwnerId: '' });
});

const { NEW_RECIPIENTS_ALLOW, NEW_RECIPIENTS_APPROVE, NEW_RECIPIENTS_DENY } = policyV1.NewRecipients;

function patch(change: Partial<policyV1.UpdatePolicyRequest>) {
  return gateway.updatePolicy({ agentId, allowedRecipients: undefined, ...change });
}

const addresses = (count: number) => Array.from({ length: count }, () => newWallet().address);

/** Runs statements in a session of its own of the service's role. */
async function inSession<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { host, port, user, database, password } = service.database.connection;
  const client = new pg.Client({ host, port, user, database, password: password.reveal() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The agent's events, whether already relayed or not. */
function events(): Promise<auditV1.AuditEvent[]> {
  return inSession(async (client) => {
    const { rows } = await client.query('select payload from policy.outbox where agent_id = $1 order by id', [agentId]);
    return rows.map(({ payload }) => auditV1.AuditEvent.decode(payload as Buffer));
  });
}

const listOf = (...entries: string[]) => ({ list: { entries } });

const DEFAULTS = {
  maxSingleTransactionUsdMicros: 100_000_000n,
  dailyLimitUsdMicros: 500_000_000n,
  allowedRecipients: [],
  allowTrading: true,
  allowLiquidityProvision: true,
  allowPredictionMarkets: true,
  sessionExpirationHours: 168,
  approvalLifetimeHours: 24,
  newRecipients: NEW_RECIPIENTS_ALLOW,
  newRecipientCoolDownHours: 0,
  approveAboveUsdMicros: undefined,
  allowedTokens: undefined,
  allowedMarkets: undefined,
  maxTradeLossBps: undefined,
  unpricedTokens: [],
  allowMailLogin: true,
  version: 1n,
  claimed: false,
};

describe('a policy', () => {
  it('has the defaults of the API at first', async () => {
    expect((await gateway.getPolicy({ agentId })).policy).toEqual(DEFAULTS);
  });

  it('is made once, and keeps its changes when it is made again', async () => {
    const fresh = newId();
    const made = await Promise.all(
      Array.from({ length: 10 }, () => gateway.createPolicy({ agentId: fresh, namedOwnerId: '' })),
    );
    made.forEach(({ policy }) => expect(policy).toEqual(DEFAULTS));
    await patch({ allowTrading: false });
    expect((await gateway.createPolicy({ agentId, namedOwnerId: '' })).policy).toEqual({
      ...DEFAULTS,
      allowTrading: false,
      version: 2n,
    });
  });

  it('takes a mailbox of 32 bytes, and no other', async () => {
    const fresh = { agentId: newId(), namedOwnerId: '' };
    for (const size of [0, 31, 33]) {
      const error = { code: 'VALIDATION_ERROR', details: [{ field: 'mailboxId' }] };
      await expect(gateway.createPolicy({ ...fresh, mailboxId: Buffer.alloc(size) })).rejects.toMatchObject(error);
    }
    const mailboxId = Buffer.alloc(32, 7);
    await gateway.createPolicy({ ...fresh, mailboxId });
    const [row] = await service.database.rows('select mailbox_id from policies where agent_id = $1', fresh.agentId);
    expect(row).toEqual({ mailbox_id: mailboxId });
  });

  it('is not found for an agent that has none', async () => {
    const unknown = { agentId: newId() };
    await expect(gateway.getPolicy(unknown)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(gateway.getUsage(unknown)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(patch(unknown)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('says that it is away, not that it is broken, when the database drops the connection in the middle', async () => {
    await inSession(async (locker) => {
      await locker.query('begin; lock table policy.policies in access exclusive mode');
      const reading = gateway.getPolicy({ agentId });
      const dropped = async () => {
        const { rowCount } = await locker.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
             and pid <> pg_backend_pid() and wait_event_type = 'Lock'`,
        );
        return rowCount === 1;
      };
      const failure = expect(reading).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      while (!(await dropped())) await new Promise((resolve) => setImmediate(resolve));
      await failure;
      await locker.query('rollback');
    });
    expect((await gateway.getPolicy({ agentId })).policy).toEqual(DEFAULTS);
  });

  it('changes only the fields that are set', async () => {
    const recipients = addresses(2);
    const { policy } = await patch({ allowedRecipients: { entries: recipients }, sessionExpirationHours: 1 });
    expect(policy).toEqual({ ...DEFAULTS, allowedRecipients: recipients, sessionExpirationHours: 1, version: 2n });
    expect((await patch({ allowedRecipients: { entries: [] } })).policy!.allowedRecipients).toEqual([]);
    expect((await patch({})).policy).toEqual({ ...DEFAULTS, sessionExpirationHours: 1, version: 3n });
  });

  it('denies new recipients without an owner, and asks for approvals only with one', async () => {
    const denied = { newRecipients: NEW_RECIPIENTS_DENY, newRecipientCoolDownHours: 168 };
    expect((await patch({ ...denied, approveAbove: {} })).policy).toEqual({ ...DEFAULTS, ...denied, version: 2n });
    const asking = patch({ newRecipients: NEW_RECIPIENTS_APPROVE, approveAbove: { usdMicros: 1n } });
    await expect(asking).rejects.toMatchObject({
      ...{ code: 'VALIDATION_ERROR', details: [{ field: 'newRecipients' }, { field: 'approveAboveInUsd' }] },
    });
    expect((await gateway.getPolicy({ agentId })).policy).toEqual({ ...DEFAULTS, ...denied, version: 2n });
  });

  it('has lists of what may be acquired, which are none, empty or full', async () => {
    const tokens = listOf(...addresses(100));
    const markets = listOf('KXBTC-25NOV26-T-0.5', ...Array.from({ length: 99 }, (_, n) => `KX${n}`));
    await patch({ allowedTokens: tokens, allowedMarkets: markets });
    const full = { ...DEFAULTS, allowedTokens: tokens.list, allowedMarkets: markets.list, version: 2n };
    expect((await gateway.getPolicy({ agentId })).policy).toEqual(full);
    expect((await patch({ allowedTokens: listOf() })).policy).toEqual({
      ...full,
      allowedTokens: listOf().list,
      version: 3n,
    });
    const { policy } = await patch({ allowedMarkets: {} });
    expect(policy).toEqual({ ...DEFAULTS, allowedTokens: listOf().list, version: 4n });
    expect((await gateway.getPolicy({ agentId })).policy).toEqual(policy);
    expect((await patch({ allowedTokens: {} })).policy).toEqual({ ...DEFAULTS, version: 5n });
  });

  it('can have every field changed at once, also to false', async () => {
    const change = {
      maxSingleTransactionUsdMicros: 1n,
      dailyLimitUsdMicros: 10n ** 15n,
      allowTrading: false,
      allowLiquidityProvision: false,
      allowPredictionMarkets: false,
      sessionExpirationHours: 8_760,
    };
    const allowed = addresses(500);
    const { policy } = await patch({ ...change, allowedRecipients: { entries: allowed } });
    expect(policy).toEqual({ ...DEFAULTS, ...change, allowedRecipients: allowed, version: 2n });
    expect((await gateway.getPolicy({ agentId })).policy).toEqual(policy);
  });
});

describe('bounds', () => {
  const one = newWallet().address;
  const cases: ReadonlyArray<[string, Partial<policyV1.UpdatePolicyRequest>]> = [
    ['maxSingleTransactionInUsd', { maxSingleTransactionUsdMicros: 0n }],
    ['maxSingleTransactionInUsd', { maxSingleTransactionUsdMicros: 10n ** 15n + 1n }],
    ['maxSingleTransactionInUsd', { maxSingleTransactionUsdMicros: 2n ** 64n - 1n }],
    ['dailyLimitInUsd', { dailyLimitUsdMicros: 0n }],
    ['dailyLimitInUsd', { dailyLimitUsdMicros: 10n ** 15n + 1n }],
    ['allowedRecipients', { allowedRecipients: { entries: ['not an address'] } }],
    ['allowedRecipients', { allowedRecipients: { entries: [''] } }],
    ['allowedRecipients', { allowedRecipients: { entries: [`1${one}`] } }],
    ['allowedRecipients', { allowedRecipients: { entries: [one, one] } }],
    ['allowedRecipients', { allowedRecipients: { entries: addresses(501) } }],
    ['sessionExpirationHours', { sessionExpirationHours: 0 }],
    ['sessionExpirationHours', { sessionExpirationHours: 8_761 }],
    ['newRecipientCoolDownHours', { newRecipientCoolDownHours: 169 }],
    ['approveAboveInUsd', { approveAbove: { usdMicros: 0n } }],
    ['approveAboveInUsd', { approveAbove: { usdMicros: 10n ** 15n + 1n } }],
    ['allowedTokens', { allowedTokens: listOf(...addresses(101)) }],
    ['allowedTokens', { allowedTokens: listOf(one, one) }],
    ['allowedTokens', { allowedTokens: listOf('SOL') }],
    ['allowedTokens', { allowedTokens: listOf('') }],
    ['allowedMarkets', { allowedMarkets: listOf(...Array.from({ length: 101 }, (_, n) => `KX${n}`)) }],
    ['allowedMarkets', { allowedMarkets: listOf('KX', 'KX') }],
    ...['', '-', 'KX-', '-KX', 'KX--1', 'KX 1', 'KX%', 'K'.repeat(101)].map(
      (ticker): [string, Partial<policyV1.UpdatePolicyRequest>] => [
        'allowedMarkets',
        { allowedMarkets: listOf(ticker) },
      ],
    ),
    ['newRecipients', { newRecipients: 4 as policyV1.NewRecipients }],
  ];

  it.each(cases)('of %s are held', async (field, change) => {
    await expect(patch(change)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: [{ field }] });
    expect((await gateway.getPolicy({ agentId })).policy).toEqual(DEFAULTS);
  });

  it('are reported for every field at once', async () => {
    const error = await patch({ dailyLimitUsdMicros: 0n, sessionExpirationHours: 0 }).catch((e: unknown) => e);
    expect(error).toMatchObject({ details: [{ field: 'dailyLimitInUsd' }, { field: 'sessionExpirationHours' }] });
  });
});

describe('the audit log', () => {
  /** Holds the relay back, so that the outbox can be read. */
  async function whileRelayWaits<T>(work: () => Promise<T>): Promise<T> {
    const client = await service.database.policy.pool.connect();
    try {
      await client.query('select pg_advisory_lock(7214002, hashtext($1))', ['policy']);
      return await work();
    } finally {
      await client.query('select pg_advisory_unlock_all()');
      client.release();
    }
  }

  it('gets what changed, before and after, by public names', async () => {
    const [recipient] = addresses(1);
    await whileRelayWaits(async () => {
      await patch({
        maxSingleTransactionUsdMicros: 12_500_000n,
        dailyLimitUsdMicros: 500_000_000n,
        allowedRecipients: { entries: [recipient!] },
        allowTrading: false,
      });
      const [event, ...others] = await events();
      expect(others).toEqual([]);
      expect(event).toMatchObject({ agentId, source: 'policy' });
      expect(event!.fact).toEqual({
        $case: 'policyChanged',
        value: {
          actor: 'agent',
          changes: [
            { field: 'maxSingleTransactionInUsd', before: '100', after: '12.5' },
            { field: 'allowedRecipients', before: '[]', after: JSON.stringify([recipient]) },
            { field: 'allowTrading', before: 'true', after: 'false' },
          ],
        },
      });
    });
  });

  it('gets nothing when nothing changed', async () => {
    await whileRelayWaits(async () => {
      await patch({ dailyLimitUsdMicros: 500_000_000n, allowTrading: true, allowedRecipients: { entries: [] } });
      await patch({});
      expect(await events()).toEqual([]);
    });
  });
});

describe('a change of a named version', () => {
  it('is made once of two at once; the other learns the version in force', async () => {
    const { policy } = await gateway.getPolicy({ agentId });
    const expectedVersion = policy!.version;
    const changes = [60_000_000n, 70_000_000n].map((dailyLimitUsdMicros) =>
      patch({ dailyLimitUsdMicros, expectedVersion }).then(
        ({ policy: changed }) => changed!.dailyLimitUsdMicros,
        (error: unknown) => error,
      ),
    );
    const answers = await Promise.all(changes);
    const inForce = (await gateway.getPolicy({ agentId })).policy!;
    expect(inForce.version).toBe(expectedVersion + 1n);
    expect(answers).toContain(inForce.dailyLimitUsdMicros);
    const refused = { code: 'VERSION_MISMATCH', data: { version: Number(inForce.version) } };
    expect(answers).toContainEqual(expect.objectContaining(refused));
  });

  it('is refused before any other fault of it, and leaves nothing', async () => {
    const before = await gateway.getPolicy({ agentId });
    const stale = patch({ dailyLimitUsdMicros: 1n, expectedVersion: before.policy!.version + 1n });
    await expect(stale).rejects.toMatchObject({ code: 'VERSION_MISMATCH' });
    expect(await gateway.getPolicy({ agentId })).toEqual(before);
  });
});
