import { auditV1 } from '@agent-wallet/contracts';
import { createOutbox } from '@agent-wallet/events';
import { newId, systemClock } from '@agent-wallet/kernel';
import type { Database } from '@agent-wallet/platform';
import { randomBytes } from 'node:crypto';
import { PostgresApprovalStore } from '../src/adapters/owners/postgres-approval-store.js';
import { PostgresOperationApprovalStore } from '../src/adapters/owners/postgres-operation-approval-store.js';
import { PostgresOwnerStore } from '../src/adapters/owners/postgres-owner-store.js';
import { PostgresFreezeStore } from '../src/adapters/postgres-freeze-store.js';
import { PostgresReservationStore } from '../src/adapters/postgres-reservation-store.js';
import { CloseApproval, ExpireApprovals } from '../src/application/owners/decide-approvals.js';
import { FreezeAgent, RequestUnfreeze } from '../src/application/owners/freeze-agent.js';
import { HOUR_MS, newApproval } from '../src/application/owners/new-approval.js';
import { OverruleOwners } from '../src/application/owners/overrule-owners.js';
import type { OwnerConsole } from '../src/application/owners/owner-console.js';
import { ProposePolicyChange, RequestClaim } from '../src/application/owners/request-approval.js';
import { RequestMember } from '../src/application/owners/request-member.js';
import { ForgetRecipient, TightenPolicy } from '../src/application/owners/tighten-policy.js';
import { SeekApproval } from '../src/application/permits/seek-approval.js';
import type { Approval } from '../src/domain/owners/approval.js';
import type { Policy } from '../src/domain/policy.js';
import type { Fact } from './facts.js';
import { type AskedTransaction, end, newAgent, type ReservationsUnderTest, transferOf, USD } from './store-support.js';

/** Verifies nothing here: votes are made as they are stored once a signature was verified. */
const CONSOLE = { origin: 'https://owner.example.com', rpId: 'owner.example.com', claimDelayHours: 24 } as OwnerConsole;
const NOTE = { operator: 'alice', reason: 'a test' };

/** Opens the use cases of one replica of policy. */
export function replicaOn(database: Database) {
  const outbox = createOutbox('policy', systemClock);
  const reservations = new PostgresReservationStore(database);
  const operations = new PostgresOperationApprovalStore(database, outbox);
  const approvals = new PostgresApprovalStore(database, outbox);
  const owners = new PostgresOwnerStore(database, outbox);
  return {
    ...{ reservations, operations, approvals, owners },
    close: new CloseApproval(approvals, CONSOLE),
    claim: new RequestClaim(approvals, CONSOLE),
    propose: new ProposePolicyChange(approvals, CONSOLE),
    member: new RequestMember(approvals, CONSOLE),
    overrule: new OverruleOwners(approvals, CONSOLE),
    unfreeze: new RequestUnfreeze(approvals, CONSOLE),
    freeze: new FreezeAgent(new PostgresFreezeStore(database, outbox), CONSOLE),
    tighten: new TightenPolicy(owners, CONSOLE),
    forget: new ForgetRecipient(owners, CONSOLE),
    sweep: new ExpireApprovals(approvals, owners),
    seek: new SeekApproval(reservations, operations, CONSOLE, { maxNetworkLamports: 5_000_000n }),
  };
}

export type Replica = ReturnType<typeof replicaOn>;

/** A new agent with an owner, beside whom nothing waits in the database. */
export class Scene {
  readonly ownerId = newId();
  /** Another owner with a passkey, who has no agent. */
  readonly otherId = newId();

  private constructor(
    readonly world: ReservationsUnderTest,
    readonly replica: Replica,
    readonly agentId: string,
  ) {}

  /** Opens a scene. @param isClaimed whether the agent is the owner's already */
  static async open(world: ReservationsUnderTest, replica: Replica, isClaimed = true): Promise<Scene> {
    await world.database.shiftClock('0');
    await world.database.rows('delete from votes');
    await world.database.rows('delete from approvals');
    const scene = new Scene(world, replica, await newAgent(world.database));
    await scene.#addPasskey(scene.ownerId);
    await scene.#addPasskey(scene.otherId);
    if (isClaimed) await scene.#join(scene.ownerId);
    return scene;
  }

  at(interval: string): Promise<void> {
    return this.world.database.shiftClock(interval);
  }

  configure(change: Partial<Policy>) {
    return this.world.policies.change(this.agentId, (before) => ({ ...before, ...change }));
  }

  /** Has payments above 10 dollars need an approval, of an agent that has spent 3. */
  async askAboveTen(): Promise<void> {
    await end(this.replica.reservations, transferOf(this.agentId, 3n, newId()).asked);
    await this.configure({ approveAboveUsdMicros: 10n * USD });
  }

  transfer(dollars: bigint, recipient?: string): AskedTransaction {
    return transferOf(this.agentId, dollars, recipient);
  }

  use({ seek }: Replica, { asked, intent }: AskedTransaction) {
    return seek.reserve(asked, { intent });
  }

  /** Asks for a payment that needs an approval. @returns the approval */
  async awaiting(payment: AskedTransaction): Promise<Approval> {
    const error: unknown = await this.use(this.replica, payment).catch((caught: unknown) => caught);
    return this.read((error as { data: { approvalId: string } }).data.approvalId);
  }

  /** Asks for a payment, and has it approved. */
  async approved(payment: AskedTransaction): Promise<Approval> {
    const approval = await this.awaiting(payment);
    await this.vote(this.replica, approval);
    return approval;
  }

  async read(id: string): Promise<Approval> {
    return (await this.replica.approvals.find(id, { ownerId: this.ownerId }))!;
  }

  async vote({ approvals }: Replica, approval: Approval, ownerId = this.ownerId): Promise<Approval> {
    const bytes = Buffer.alloc(1);
    const credentialId = this.#credentials.get(ownerId)!;
    const assertion = { credentialId, signCount: 0, clientData: bytes, authenticatorData: bytes, signature: bytes };
    return approvals.vote({ approval, ownerId, assertion });
  }

  claim(): Promise<Approval> {
    const { agentId, ownerId } = this;
    const named = { wallet: 'its wallet', email: 'agent@example.com' };
    return this.replica.claim.execute({ agentId, ownerId, keepsSessions: false, holdsNothing: false, ...named });
  }

  propose(dollars: bigint, ownerId?: string): Promise<Approval> {
    const change = { dailyLimitUsdMicros: dollars * USD };
    return this.replica.propose.execute({ agentId: this.agentId, ownerId, change, note: '' });
  }

  member(leaves: boolean): Promise<Approval> {
    const { agentId, ownerId, otherId: memberId } = this;
    return this.replica.member.execute({ agentId, ownerId, memberId, email: 'b@x.com', leaves });
  }

  /** Has the other owner join. */
  joinOther(): Promise<void> {
    return this.#join(this.otherId);
  }

  overrule(): Promise<Approval> {
    return this.replica.overrule.execute({ agentId: this.agentId, act: 'release', ...NOTE });
  }

  freeze({ freeze }: Replica) {
    return freeze.execute({ agentId: this.agentId, ownerId: this.ownerId });
  }

  unfreeze(): Promise<Approval> {
    return this.replica.unfreeze.execute({ agentId: this.agentId, ownerId: this.ownerId });
  }

  tighten({ tighten }: Replica, dollars: bigint) {
    const change = { maxSingleTransactionUsdMicros: dollars * USD };
    return tighten.execute({ agentId: this.agentId, ownerId: this.ownerId }, change);
  }

  forget({ forget }: Replica, address: string) {
    return forget.execute({ agentId: this.agentId, ownerId: this.ownerId }, address);
  }

  /** Has the owner trust a recipient, as a signature over a payment does. */
  async trust(address: string): Promise<void> {
    await this.world.database.rows(
      `insert into recipients (agent_id, address, trust, signed_at) values ($1, $2, 'always', policy.now())`,
      ...[this.agentId, address],
    );
  }

  /** Asks to replace the owner's passkeys. */
  recovery(): Promise<Approval> {
    const { ownerId } = this;
    const [credentialId, bytes] = [randomBytes(16), Buffer.alloc(1)];
    const registration = { credentialId, coseKey: bytes, signCount: 0, attestation: bytes, clientData: bytes };
    const terms = { credentialId: credentialId.toString('base64url'), coseKey: bytes.toString('base64url') };
    const about = { kind: 'recovery', terms } as const;
    const wanted = { origin: CONSOLE.origin, ownerId, about, registration, lifetimeMs: 168 * HOUR_MS };
    return this.replica.approvals.request({ kind: 'recovery', ownerId }, (known) => newApproval(known, wanted));
  }

  confirm({ approvals }: Replica, { id }: Approval): Promise<Approval> {
    return approvals.confirmRecovery(id, NOTE);
  }

  /** All of the agent and its owners that the acts change, without what differs from one agent to the other. */
  async state(): Promise<object> {
    const ids = [this.agentId, this.ownerId, this.otherId];
    const [row] = await this.world.database.rows<{ state: object }>(STATE, ...ids);
    return { ...row!.state, events: (await this.facts()).map(labelOf).toSorted() };
  }

  /** Reads the published facts of the agent and its owners, in the order of the log. */
  async facts(): Promise<Fact[]> {
    const rows = await this.world.database.rows<{ payload: Buffer }>(
      'select payload from outbox where agent_id = any ($1) order by id',
      [this.agentId, this.ownerId, this.otherId],
    );
    return rows.map(({ payload }) => auditV1.AuditEvent.decode(payload).fact!);
  }

  readonly #credentials = new Map<string, Buffer>();

  async #addPasskey(ownerId: string): Promise<void> {
    const credentialId = randomBytes(16);
    this.#credentials.set(ownerId, credentialId);
    await this.world.database.rows(
      `insert into passkeys values ($1, $2, '', 0, '', policy.now())`,
      credentialId,
      ownerId,
    );
  }

  async #join(ownerId: string): Promise<void> {
    const { database } = this.world;
    const claimed = 'update policies set claimed_at = coalesce(claimed_at, policy.now()) where agent_id = $1';
    await database.rows(claimed, this.agentId);
    await database.rows("insert into agent_owners values ($1, $2, 'owner', policy.now())", this.agentId, ownerId);
  }
}

/** agent, owner, other owner */
const STATE = `
  select json_build_object(
    'approvals', array(select concat_ws(' ', kind, state, open_until is not null, effective_at is not null,
        (select count(*) from votes where approval_id = id)) from approvals order by 1),
    'policy', (select json_build_object('version', version, 'reserved', reserved_usd_micros, 'settled', settled_usd_micros,
        'most', max_single_transaction_usd_micros, 'daily', daily_limit_usd_micros, 'above', approve_above_usd_micros,
        'recipients', new_recipients, 'claimed', claimed_at is not null) from policies where agent_id = $1),
    'reservations', array(select concat_ws(' ', state, value_usd_micros, approval_id is not null) from reservations
        where agent_id = $1 order by 1),
    'freezes', array(select source from freezes where agent_id = $1 order by 1),
    'owners', array(select concat_ws(' ', owner_id = $2, removed_at is null) from agent_owners where agent_id = $1 order by 1),
    'known', array(select concat_ws(' ', trust, first_settled_at is not null, signed_at is not null, forgotten_at is not null) from recipients
        where agent_id = $1 order by 1),
    'passkeys', array(select concat_ws(' ', owner_id = $2, removed_at is null) from passkeys where owner_id in ($2, $3) order by 1),
    'evicted', exists (select from evictions where agent_id = $1)) as state`;

/** Labels a fact by its kind, and by what it says has happened. */
export function labelOf({ $case, value }: Fact): string {
  const { kind, outcome, state, action, actor } = value as unknown as Record<string, string | undefined>;
  return [$case, kind, outcome, state, action, actor].filter((each) => each !== undefined).join(' ');
}
