import { auditV1, gatewayV1 } from '@agent-wallet/contracts';
import { AppError, newId, NIL_UUID } from '@agent-wallet/kernel';
import { loadTls, openRpcClient, type RpcClient } from '@agent-wallet/platform';
import { eventually } from '@agent-wallet/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startGateway } from '../src/index.js';
import type { Client } from './client.js';
import { GENEROUS } from './wallet-script.js';
import { World } from './world.js';

type Operators = RpcClient<typeof gatewayV1.GatewayOperatorServiceService>;

let world: World;
let replica: string;
let operators: Operators;
const opened: Operators[] = [];

/** The operators' door of a gateway, opened with the certificate of a name. */
async function operatorsAt(address: string, as: keyof World['certificates'] = 'ops'): Promise<Operators> {
  const client = openRpcClient({
    definition: gatewayV1.GatewayOperatorServiceService,
    peer: { address, service: 'gateway' },
    tls: await loadTls(world.certificates[as]),
  });
  opened.push(client);
  return client;
}

beforeAll(async () => {
  world = await World.open({ rateLimits: GENEROUS });
  replica = (await world.start()).url;
  operators = await operatorsAt(world.gateways[0]!.operatorAddress);
});
beforeEach(() => world.reset());
afterAll(async () => {
  for (const client of opened) client.close();
  await world.close();
});

const NOTE = { operator: 'dana', reason: 'token on a pastebin' };

const statusAt = async (client: Client) => (await client.post('/connect/validate')).status;

/** What the gateway published to the audit stream about operators. */
async function actsOf(agentId: string): Promise<auditV1.OperatorActed[]> {
  const { rows } = await world.events.pool.query<{ payload: Buffer }>('select payload from log order by position');
  return rows
    .map(({ payload }) => auditV1.AuditEvent.decode(payload))
    .flatMap(({ agentId: id, fact }) => (id === agentId && fact?.$case === 'operatorActed' ? [fact.value] : []));
}

describe('an operator who revokes sessions', () => {
  it('for one agent ends all of them at every replica at once, and no other agent’s', async () => {
    const { client, email, agentId } = await world.login();
    const second = client.as(await world.tokenFor(email, client));
    const other = (await world.login()).client;
    expect(await statusAt(client.at(replica))).toBe(200);
    const { revoked } = await operators.revokeSessions({ agentId, ...NOTE });
    expect(revoked).toBe(2n);
    const found = await Promise.all([client, client.at(replica), second, second.at(replica), other].map(statusAt));
    expect(found).toEqual([401, 401, 401, 401, 200]);
    expect(await statusAt(client.as(await world.tokenFor(email, client)))).toBe(200);
  });

  it('for one agent voids what it waits for, and for all agents nothing', async () => {
    const { agentId } = await world.login();
    const voided: string[] = [];
    world.script.owners.voidOperations = async (request) => {
      voided.push(request.agentId);
      return { voided: 1 };
    };
    await operators.revokeSessions({ agentId: '', ...NOTE });
    await operators.revokeSessions({ agentId, ...NOTE });
    expect(voided).toEqual([agentId]);
  });

  it('without an agent ends every session', async () => {
    const people = await Promise.all([world.login(), world.login(), world.login()]);
    expect((await operators.revokeSessions({ agentId: '', ...NOTE })).revoked).toBeGreaterThanOrEqual(3n);
    for (const { client } of people) expect(await statusAt(client.at(replica))).toBe(401);
    expect((await operators.revokeSessions({ agentId: '', ...NOTE })).revoked).toBe(0n);
  });

  it('for one agent waits for no refresh of another', async () => {
    const { client, agentId } = await world.login();
    const refreshing = await world.database.pool.connect();
    try {
      await refreshing.query('begin');
      await refreshing.query('lock table sessions in row exclusive mode');
      expect((await operators.revokeSessions({ agentId, ...NOTE })).revoked).toBe(1n);
    } finally {
      await refreshing.query('rollback');
      refreshing.release();
    }
    expect(await statusAt(client)).toBe(401);
  });

  it('counts only sessions that were still valid', async () => {
    const { client, email, agentId } = await world.login();
    await client.post('/connect/logout');
    expect((await operators.revokeSessions({ agentId, ...NOTE })).revoked).toBe(0n);
    await world.tokenFor(email, client);
    world.clock.aheadMs = 168 * 3_600_000 + 1_000;
    expect((await operators.revokeSessions({ agentId, ...NOTE })).revoked).toBe(0n);
  });

  it('lets no refresh escape that is under way', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { client, agentId } = await world.login();
      const tokens = [client];
      let stopped = false;
      const refreshing = (async () => {
        for (let newest = client; !stopped;) {
          const answer = await newest.post('/connect/refresh');
          if (answer.status !== 200) return;
          tokens.push((newest = newest.as(answer.body.data.sessionToken as string)));
        }
      })();
      await eventually(() => tokens.length > 2);
      await operators.revokeSessions({ agentId, ...NOTE });
      stopped = true;
      await refreshing;
      expect(await Promise.all(tokens.slice(-2).map(statusAt))).toEqual([401, 401]);
    }
  });

  it('is written to the audit log, with who and why', async () => {
    const { agentId } = await world.login();
    await operators.revokeSessions({ agentId, ...NOTE });
    await operators.revokeSessions({ agentId: '', operator: 'erin', reason: 'drill' });
    const act = { ...NOTE, action: 'revoke_sessions', operationId: '' };
    await eventually(async () => (await actsOf(agentId)).length === 1);
    expect(await actsOf(agentId)).toEqual([act]);
    await eventually(async () => (await actsOf(NIL_UUID)).some(({ operator }) => operator === 'erin'));
  });

  const refusals: Array<[string, Partial<gatewayV1.RevokeSessionsRequest>, string, string | undefined]> = [
    ['without a name', { operator: '' }, 'VALIDATION_ERROR', 'operator'],
    ['with the name of an owner', { operator: ` Owner ${newId()}` }, 'VALIDATION_ERROR', 'operator'],
    ['without a reason', { reason: ' \n' }, 'VALIDATION_ERROR', 'reason'],
    ['with a name that is too long', { operator: 'x'.repeat(201) }, 'VALIDATION_ERROR', 'operator'],
    ['with a reason that is too long', { reason: 'x'.repeat(1_001) }, 'VALIDATION_ERROR', 'reason'],
    ['for an invalid agent id', { agentId: 'everybody' }, 'VALIDATION_ERROR', 'agentId'],
    ['for an unknown agent', { agentId: newId() }, 'NOT_FOUND', undefined],
  ];
  it.each(refusals)('%s is refused, and nothing ends', async (_, change, code, field) => {
    const { client, agentId } = await world.login();
    const error = (await operators
      .revokeSessions({ agentId, ...NOTE, ...change })
      .catch((failure: unknown) => failure)) as AppError;
    expect(error).toBeInstanceOf(AppError);
    expect([error.code, error.details[0]?.field]).toEqual([code, field]);
    expect([await statusAt(client), await actsOf(agentId)]).toEqual([200, []]);
  });

  it('may have a long name and a long reason', async () => {
    const { agentId } = await world.login();
    const note = { operator: 'x'.repeat(200), reason: 'x'.repeat(1_000) };
    expect((await operators.revokeSessions({ agentId, ...note })).revoked).toBe(1n);
  });

  it.each(['gateway', 'wallet', 'policy', 'history'] as const)('is not allowed to under the name %s', async (name) => {
    const { client, agentId } = await world.login();
    const impostor = await operatorsAt(world.gateways[0]!.operatorAddress, name);
    await expect(impostor.revokeSessions({ agentId, ...NOTE })).rejects.toMatchObject({ code: 'CALLER_NOT_ALLOWED' });
    expect(await statusAt(client)).toBe(200);
  });
});

describe("the operators' door", () => {
  it('is there when the gateway is ready, and finishes what was accepted when it stops', async () => {
    const gateway = await startGateway(world.settings, { clock: world.clock });
    const here = await operatorsAt(gateway.operatorAddress);
    const { agentId, client } = await world.login();
    const holder = await world.database.pool.connect();
    await holder.query('begin');
    await holder.query('select from agents where id = $1 for update', [agentId]);
    const revoking = here.revokeSessions({ agentId, ...NOTE });
    await eventually(async () => {
      const { rowCount } = await world.database.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rowCount === 1;
    });
    const stopped = gateway.stop();
    await holder.query('commit');
    holder.release();
    expect((await revoking).revoked).toBe(1n);
    await stopped;
    expect(await statusAt(client)).toBe(401);
    await expect(here.connected(200)).rejects.toThrow();
  });

  it('is closed again when the public one cannot be opened', async () => {
    const { port } = world.gateways[0]!;
    const unused = await startGateway(world.settings, { clock: world.clock });
    const grpcAddress = unused.operatorAddress;
    await unused.stop();
    const taken = startGateway({ ...world.settings, port, grpcAddress }, { clock: world.clock });
    await expect(taken).rejects.toThrow(`PORT: port ${port} is in use`);
    const free = await startGateway({ ...world.settings, grpcAddress }, { clock: world.clock });
    expect(free.operatorAddress).toBe(grpcAddress);
    await free.stop();
  });
});
