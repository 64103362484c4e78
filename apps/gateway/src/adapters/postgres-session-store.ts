import { type Clock, newId, NIL_UUID } from '@agent-wallet/kernel';
import type { Outbox } from '@agent-wallet/events';
import type { Database, Queryable } from '@agent-wallet/platform';
import type { PrismaClient } from '../generated/prisma/client.js';
import type { Agent, NewSession, OperatorNote, SessionStore } from '../ports/session-store.js';
import { forgetRequests, useOtp } from './otp-rows.js';
import { guarded, query, timeParameter } from './query.js';

/** Agents and sessions in Postgres. Sessions open and end together with their audit events. */
export class PostgresSessionStore implements SessionStore {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async agentByEmail(email: string): Promise<Agent> {
    const data = { id: newId(), email, createdAt: new Date(this.clock.nowMs()) };
    return guarded(async () => {
      await this.prisma.agent.createMany({ data, skipDuplicates: true });
      return toAgent(await this.prisma.agent.findUniqueOrThrow({ where: { email } }));
    });
  }

  async findByEmail(email: string): Promise<Agent | undefined> {
    const row = await guarded(() => this.prisma.agent.findUnique({ where: { email } }));
    return row ? toAgent(row) : undefined;
  }

  async agentById(agentId: string): Promise<Agent | undefined> {
    const row = await guarded(() => this.prisma.agent.findUnique({ where: { id: agentId } }));
    return row ? toAgent(row) : undefined;
  }

  async rememberAddress(agentId: string, address: string): Promise<void> {
    await guarded(() => this.prisma.agent.update({ where: { id: agentId }, data: { address } }));
  }

  async openWithOtp(
    session: NewSession,
    otp: { otpId: string; claimId: string; email: string; client: string },
  ): Promise<{ firstLogin: boolean } | undefined> {
    const now = timeParameter(this.clock.nowMs());
    return this.#transaction(async (tx) => {
      if (!(await useOtp(tx, otp, now))) return undefined;
      await this.#open(tx, session);
      const first = await query(tx, {
        name: 'first-login',
        text: 'update agents set first_login_at = $2 where id = $1 and first_login_at is null returning id',
        values: [session.agentId, now],
      });
      await forgetRequests(tx, otp);
      return { firstLogin: first.length > 0 };
    });
  }

  async replace(oldSessionId: string, session: NewSession): Promise<boolean> {
    return this.#transaction(async (tx) => {
      if (!(await this.#end(tx, oldSessionId, session.agentId))) return false;
      await this.#open(tx, session);
      return true;
    });
  }

  async end(sessionId: string, agentId: string): Promise<boolean> {
    return this.#transaction((tx) => this.#end(tx, sessionId, agentId));
  }

  async endAll(agentId: string | undefined, { operator, reason }: OperatorNote): Promise<bigint> {
    return this.#transaction(async (tx) => {
      // A refresh under way has ended its old session and not yet shown the new one: it is waited for, so that the
      // update sees what it opened.
      await query(tx, {
        name: 'lock-sessions',
        text: 'lock table sessions in share row exclusive mode',
        values: [],
      });
      const [row] = await query<{ revoked: string }>(tx, {
        name: 'end-all-sessions',
        text: `with ended as (
                 update sessions set revoked_at = $2
                 where revoked_at is null and expires_at > $2 and ($1::uuid is null or agent_id = $1) returning 1)
               select count(*) as revoked from ended`,
        values: [agentId ?? null, timeParameter(this.clock.nowMs())],
      });
      await this.outbox.write(tx, agentId ?? NIL_UUID, {
        $case: 'operatorActed',
        value: { operator, action: 'revoke_sessions', reason, operationId: '' },
      });
      return BigInt(row?.revoked ?? 0);
    });
  }

  async #open(tx: Queryable, { id, agentId, expiresAtMs }: NewSession): Promise<void> {
    await query(tx, {
      name: 'open-session',
      text: 'insert into sessions (id, agent_id, created_at, expires_at) values ($1, $2, $3, $4)',
      values: [id, agentId, timeParameter(this.clock.nowMs()), timeParameter(expiresAtMs)],
    });
    await this.outbox.write(tx, agentId, {
      $case: 'sessionStarted',
      value: { sessionId: id, expiresAtMs: BigInt(expiresAtMs) },
    });
  }

  async #end(tx: Queryable, sessionId: string, agentId: string): Promise<boolean> {
    const ended = await query(tx, {
      name: 'end-session',
      text: `update sessions set revoked_at = $3
             where id = $1 and agent_id = $2 and revoked_at is null and expires_at > $3 returning id`,
      values: [sessionId, agentId, timeParameter(this.clock.nowMs())],
    });
    if (ended.length === 0) return false;
    await this.outbox.write(tx, agentId, { $case: 'sessionEnded', value: { sessionId } });
    return true;
  }

  #transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return guarded(() => this.database.transaction(work));
  }
}

function toAgent(row: { id: string; email: string; address: string | null }): Agent {
  return { id: row.id, email: row.email, address: row.address ?? undefined };
}
