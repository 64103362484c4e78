import { type Clock, NIL_UUID } from '@agent-wallet/kernel';
import type { Outbox } from '@agent-wallet/events';
import type { Database, Queryable } from '@agent-wallet/platform';
import type { PrismaClient } from '../generated/prisma/client.js';
import type { Session } from '../domain/session.js';
import type { ClaimedOtp } from '../ports/otp-store.js';
import type { Eviction } from '../ports/eviction-reports.js';
import type { Agent, Evicted, OperatorNote, SessionStore } from '../ports/session-store.js';
import { createAgent } from './agent-rows.js';
import { expireLoginCodes, noteMailProof, useOtp } from './otp-rows.js';
import { noteEviction } from './postgres-eviction-reports.js';
import { guarded, query, timeParameter } from './query.js';
import {
  type EndedSession,
  endStanding,
  findSession,
  findStanding,
  insertSession,
  listStanding,
  listTokens,
  lockAgent,
  replaceSession,
} from './session-rows.js';

/** Agents and sessions in Postgres. Sessions open and end together with their audit events. */
export class PostgresSessionStore implements SessionStore {
  constructor(
    private readonly database: Database,
    private readonly prisma: PrismaClient,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  async agentOfLogin({ email, otpId }: { readonly email: string; readonly otpId: string }): Promise<Agent> {
    const known = await this.findByEmail(email);
    if (known) return known;
    await this.#transaction((tx) => createAgent(tx, { email, otpId, now: this.#now() }));
    return (await this.findByEmail(email))!;
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

  async openWithOtp(session: Session, otp: ClaimedOtp): Promise<{ firstLogin: boolean } | undefined> {
    const now = this.#now();
    return this.#transaction(async (tx) => {
      // Before the code's row: an eviction takes both in this order.
      await lockAgent(tx, session.agentId);
      if (!(await useOtp(tx, otp, now))) return undefined;
      await this.#open(tx, session);
      const first = await query(tx, {
        name: 'first-login',
        text: 'update agents set first_login_at = $2 where id = $1 and first_login_at is null returning id',
        values: [session.agentId, now],
      });
      await noteMailProof(tx, otp, now);
      return { firstLogin: first.length > 0 };
    });
  }

  find(sessionId: string, agentId: string): Promise<Session | undefined> {
    return findSession(this.database.pool, sessionId, agentId);
  }

  standing(sessionIds: readonly string[]): Promise<ReadonlySet<string>> {
    return findStanding(this.database.pool, sessionIds, this.#now());
  }

  list(agentId: string, atMost: number): Promise<Session[]> {
    return listStanding(this.database.pool, { agentId, atMost, now: this.#now() });
  }

  async replace(oldSessionId: string, session: Session): Promise<boolean> {
    return this.#transaction(async (tx) => {
      await lockAgent(tx, session.agentId);
      if (!(await replaceSession(tx, oldSessionId, session, this.#now()))) return false;
      await this.outbox.write(tx, session.agentId, { $case: 'sessionEnded', value: { sessionId: oldSessionId } });
      await this.#open(tx, session);
      return true;
    });
  }

  async end(sessionId: string, agentId: string): Promise<boolean> {
    return this.#transaction(async (tx) => (await this.#endFamily(tx, sessionId, agentId)).length > 0);
  }

  tokensOf({ agentId, familyId }: Session): Promise<string[]> {
    return listTokens(this.database.pool, { agentId, familyId, now: this.#now() });
  }

  async openToken(session: Session, openedBy?: Session): Promise<boolean> {
    return this.#transaction(async (tx) => {
      await lockAgent(tx, session.agentId);
      if (openedBy && !(await findStanding(tx, [openedBy.id], this.#now())).has(openedBy.id)) return false;
      await insertSession(tx, session);
      return true;
    });
  }

  async endToken(tokenId: string, agentId: string): Promise<void> {
    await this.#transaction(async (tx) => {
      await lockAgent(tx, agentId);
      await endStanding(tx, { agentId, tokenId, now: this.#now() });
    });
  }

  async endReused(sessionId: string, agentId: string): Promise<Eviction | undefined> {
    return this.#transaction(async (tx) => {
      const ended = await this.#endFamily(tx, sessionId, agentId);
      if (ended.length === 0) return undefined;
      await this.outbox.write(tx, agentId, { $case: 'tokenReused', value: { sessionId } });
      return noteEviction(tx, { agentId, ended }, this.clock.nowMs());
    });
  }

  async evictWithOtp(otp: ClaimedOtp): Promise<Evicted | undefined> {
    const agent = await guarded(() => this.prisma.agent.findUnique({ where: { email: otp.email } }));
    if (!agent) return undefined;
    return this.#transaction(async (tx) => {
      if (!(await useOtp(tx, otp, this.#now()))) return undefined;
      await lockAgent(tx, agent.id);
      const ended = await endStanding(tx, { agentId: agent.id, now: this.#now() });
      await this.#writeEnded(tx, agent.id, ended);
      await expireLoginCodes(tx, agent.id, this.#now());
      await noteMailProof(tx, otp, this.#now());
      const eviction = await noteEviction(tx, { agentId: agent.id, ended }, this.clock.nowMs());
      return { ended: ended.length, eviction };
    });
  }

  async endAll(agentId: string, note: OperatorNote): Promise<Evicted> {
    return this.#transaction(async (tx) => {
      await lockAgent(tx, agentId);
      const ended = await endStanding(tx, { agentId, now: this.#now() });
      await this.#writeActed(tx, agentId, note);
      await expireLoginCodes(tx, agentId, this.#now());
      return { ended: ended.length, eviction: await noteEviction(tx, { agentId, ended }, this.clock.nowMs()) };
    });
  }

  async endEverything(note: OperatorNote): Promise<bigint> {
    return this.#transaction(async (tx) => {
      // A refresh under way has ended its old session and not yet shown the new one: it is waited for, so that the
      // update sees what it opened.
      await query(tx, {
        name: 'lock-sessions',
        text: 'lock table sessions in share row exclusive mode',
        values: [],
      });
      const [row] = await query<{ revoked: string }>(tx, {
        name: 'end-every-session',
        text: `with ended as (
                 update sessions set revoked_at = $1 where revoked_at is null and expires_at > $1 returning 1)
               select count(*) as revoked from ended`,
        values: [this.#now()],
      });
      await this.#writeActed(tx, NIL_UUID, note);
      return BigInt(row?.revoked ?? 0);
    });
  }

  #writeActed(tx: Queryable, agentId: string, { operator, reason }: OperatorNote): Promise<void> {
    return this.outbox.write(tx, agentId, {
      $case: 'operatorActed',
      value: { operator, action: 'revoke_sessions', reason, operationId: '' },
    });
  }

  async #open(tx: Queryable, session: Session): Promise<void> {
    await insertSession(tx, session);
    const { id, agentId, expiresAtMs } = session;
    await this.outbox.write(tx, agentId, {
      $case: 'sessionStarted',
      value: { sessionId: id, expiresAtMs: BigInt(expiresAtMs) },
    });
  }

  /** Ends a session's family, and returns what ended. */
  async #endFamily(tx: Queryable, sessionId: string, agentId: string): Promise<EndedSession[]> {
    await lockAgent(tx, agentId);
    const session = await findSession(tx, sessionId, agentId);
    if (!session) return [];
    const ended = await endStanding(tx, { agentId, familyId: session.familyId, now: this.#now() });
    await this.#writeEnded(tx, agentId, ended);
    return ended;
  }

  /** Publishes the ends of sessions; policy publishes those of tokens. */
  #writeEnded(tx: Queryable, agentId: string, ended: readonly EndedSession[]): Promise<void> {
    const logins = ended.filter(({ tokenId }) => tokenId === null);
    const facts = logins.map(({ id: sessionId }) => ({
      agentId,
      fact: { $case: 'sessionEnded', value: { sessionId } } as const,
    }));
    return this.outbox.writeAll(tx, facts);
  }

  #now(): string {
    return timeParameter(this.clock.nowMs());
  }

  #transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    return guarded(() => this.database.transaction(work));
  }
}

interface AgentRow {
  readonly id: string;
  readonly email: string;
  readonly address: string | null;
  readonly namedOwnerId: string | null;
}

function toAgent({ id, email, address, namedOwnerId }: AgentRow): Agent {
  return { id, email, address: address ?? undefined, namedOwnerId: namedOwnerId ?? undefined };
}
