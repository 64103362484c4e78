import type { ApplicationSteps } from './application-steps.js';
import { ADDRESSES, MINTS } from './application.js';
import { type Model, sum } from './model.js';
import type { ModelSteps } from './model-steps.js';
import type { Sequence } from './steps.js';

/** State that the model and policy must agree on after each step. Amounts are texts. */
export interface Snapshot {
  readonly policy: unknown;
  readonly owners: readonly number[];
  readonly frozen: readonly string[];
  readonly used: { readonly reserved: string; readonly settled: string };
  /** Each token: whether it is live, and its use of today and in all. */
  readonly tokens: readonly string[];
  /** State and value of each operation that was granted. */
  readonly operations: readonly string[];
  readonly approvals: readonly string[];
}

/** Reads the model. */
export function modelSnapshot(steps: ModelSteps): Snapshot {
  const { model } = steps;
  const { single, daily, recipients, newRecipients, approveAbove, trading, betting, mints } = model.policy;
  const used = model.used();
  return {
    policy: [
      ...[String(single), String(daily), recipients.map((place) => ADDRESSES[place]), newRecipients],
      ...[approveAbove === null ? null : String(approveAbove), trading, betting],
      mints && mints.map((place) => MINTS[place]),
    ],
    owners: [...model.owners].toSorted(),
    frozen: [
      ...(model.isFrozenByOperator ? ['operator'] : []),
      ...(model.frozenByOwnerAt === undefined ? [] : ['owner']),
    ],
    used: {
      reserved: String(sum(used.filter(({ state }) => state === 'open'))),
      settled: String(sum(used.filter(({ state }) => state === 'settled'))),
    },
    tokens: model.tokens.map((token, n) => {
      const { today, total } = model.usedOf(n);
      return `${model.isLive(token) ? 'live' : 'ended'} ${today} ${total}`;
    }),
    operations: model.operations.flatMap(({ state, value }) => (state === undefined ? [] : [`${state} ${value}`])),
    approvals: model.approvals.map((each) => `${each.about.kind} ${steps.stateOf(each)}`),
  };
}

/** agent, approvals, tokens, operations, owners */
const SNAPSHOT = `
  select json_build_object(
    'policy', json_build_array(p.max_single_transaction_usd_micros::text, p.daily_limit_usd_micros::text,
      p.allowed_recipients, p.new_recipients, p.approve_above_usd_micros::text, p.allow_trading, p.allow_prediction_markets,
      p.allowed_tokens),
    'owners', array(select array_position($5::uuid[], owner_id) - 1 from agent_owners
      where agent_id = $1 and removed_at is null order by 1),
    'frozen', array(select source::text from freezes where agent_id = $1 order by 1),
    'used', json_build_object('reserved', p.reserved_usd_micros::text, 'settled', (p.settled_usd_micros
      + policy.settled_shift($1, p.settled_since, policy.window_start(t.at)))::text),
    'tokens', array(select concat_ws(' ', case when k.ended_at is null and k.expires_at > t.at then 'live' else 'ended' end,
        u.today, u.total)
      from unnest($3::uuid[]) with ordinality as i (id, n) join tokens k on k.id = i.id,
        policy.token_used(k, policy.window_start(t.at), null) as u order by i.n),
    'operations', array(select concat_ws(' ', r.state, r.value_usd_micros)
      from unnest($4::uuid[]) with ordinality as i (id, n) join reservations r on r.operation_id = i.id order by i.n),
    'approvals', array(select concat_ws(' ', a.kind, case
        when a.state in ('pending', 'approved') and a.expires_at <= t.at then 'expired' else a.state end)
      from unnest($2::uuid[]) with ordinality as i (id, n) join approvals a on a.id = i.id order by i.n)) as snapshot,
    (select count(*)::int from approvals where agent_id = $1 and state in ('pending', 'approved') and expires_at <= t.at)
      as overdue,
    (select count(*)::int from approvals where agent_id = $1) as asked
  from policies p, (select policy.now() as at) as t where p.agent_id = $1`;

interface Row {
  readonly snapshot: Snapshot;
  /** Approvals that wait past their end in the table. */
  readonly overdue: number;
  readonly asked: number;
}

/** Reads policy's own tables. */
export async function applicationSnapshot({ app, owned, ...steps }: ApplicationSteps, model: Model): Promise<Row> {
  const operations = model.operations.flatMap((each) => steps.requests.get(each)?.operationId ?? []);
  const ids = [steps.approvalIds, steps.tokenIds, operations, owned.owners.map(({ ownerId }) => ownerId)];
  // Prepared: to plan it takes longer than to run it.
  const query = { name: 'model-snapshot', text: SNAPSHOT, values: [owned.agentId, ...ids] };
  const { rows } = await app.world.database.policy.pool.query<Row>(query);
  return rows[0]!;
}

/** Writes a sequence so that a reader can replay it, a line a step. */
export function describeSequence({ policy, grants, steps }: Sequence, outcomes: readonly string[]): string {
  const write = (value: object) =>
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
  const lines = steps.map((step, n) => `  ${n + 1}. ${write(step)}${outcomes[n] ? ` -> ${outcomes[n]}` : ''}`);
  return [`  policy ${write(policy)}`, ...grants.map((grant, n) => `  token ${n} ${write(grant)}`), ...lines].join(
    '\n',
  );
}
