-- The scope that a kind of spending takes; null for what brings the agent its own money.
create or replace function scope_of(kind spending) returns text language sql immutable as $$
  select case kind
    when 'payment' then 'transfer'
    when 'trade' then 'trade'
    when 'self' then 'trade'
    when 'escrow' then 'predict'
    when 'liquidity_add' then 'liquidity'
    when 'liquidity_remove' then 'liquidity'
  end
$$;

-- Returns the change of a token's settled sum when its start moves: see settled_shift.
create or replace function token_shift(token uuid, old_start timestamptz, new_start timestamptz) returns numeric
language sql stable as $$
  select coalesce(sum(r.value_usd_micros), 0) * case when new_start > old_start then -1 else 1 end
  from policy.reservations r
  where old_start <> new_start and r.token_id = token and r.state = 'settled'
    and r.settled_at > least(old_start, new_start) and r.settled_at <= greatest(old_start, new_start)
$$;

-- Returns what a token has spent and has open, without one operation: in the window, and since it was opened.
create or replace function token_used(t tokens, window_starts_at timestamptz, besides uuid)
returns table (today numeric, total numeric) language sql stable as $$
  select t.reserved_usd_micros + t.settled_usd_micros + policy.token_shift(t.id, t.settled_since, window_starts_at)
      - coalesce(sum(r.value_usd_micros) filter (where r.state = 'open' or r.settled_at > window_starts_at), 0),
    t.used_usd_micros - coalesce(sum(r.value_usd_micros), 0)
  from policy.reservations r
  where r.operation_id = besides and r.token_id = t.id and r.state in ('open', 'settled')
$$;

-- Moves the window of a token's settled sum. The caller holds the lock of the agent's policy.
create or replace function move_token_window(token uuid, window_starts_at timestamptz) returns void language sql volatile as $$
  update policy.tokens t
  set settled_usd_micros = t.settled_usd_micros + policy.token_shift(t.id, t.settled_since, window_starts_at),
    settled_since = window_starts_at
  where t.id = token and t.settled_since <> window_starts_at
$$;

-- Keeps the sums of a token. What changes a reservation holds the lock of the agent's policy.
create or replace function keep_token_sums() returns trigger language plpgsql as $$
declare
  was policy.reservations := case when tg_op = 'UPDATE' then old end;
begin
  update policy.tokens t set
    reserved_usd_micros = t.reserved_usd_micros
      + case when new.state = 'open' then new.value_usd_micros else 0 end
      - case when was.state = 'open' then was.value_usd_micros else 0 end,
    settled_usd_micros = t.settled_usd_micros
      + case when new.state = 'settled' and new.settled_at > t.settled_since then new.value_usd_micros else 0 end
      - case when was.state = 'settled' and was.settled_at > t.settled_since then was.value_usd_micros else 0 end,
    used_usd_micros = t.used_usd_micros
      + case when new.state in ('open', 'settled') then new.value_usd_micros else 0 end
      - case when was.state in ('open', 'settled') then was.value_usd_micros else 0 end
  where t.id = new.token_id;
  return null;
end
$$;

-- The rule of tokens, once, for `reserve` and `dry_run`: the verdict on a request of a scoped token, where policy's own is
-- `verdict`. A token allows nothing that the policy forbids, so the policy's refusal stands; an owner is not asked for what the
-- token forbids. An end or a missing scope comes first. The caller holds the lock of the agent's policy, or decides nothing.
--
-- grant_detail: of grant_limit the limit that refuses: recipients, single, daily or total, with its figures; of
-- insufficient_scope the scope that is missing. grant_single_usd, grant_left_usd: the token's limit of one operation, and what is
-- left of its others; null where it has none.
create or replace function token_verdict(
  verdict text, agent uuid, asked reservation_request, counted_usd_micros bigint, at timestamptz
) returns table (
  final_verdict text, grant_detail text, grant_limit_usd bigint, grant_used_usd bigint, grant_single_usd bigint,
  grant_left_usd bigint
) language plpgsql stable as $$
declare
  t policy.tokens;
  used record;
begin
  final_verdict := verdict;
  -- Money that comes back is not held back by the end of a token.
  if (asked).kind = 'payout' then return next; return; end if;
  select * into t from policy.tokens where id = (asked).token_id and agent_id = agent;
  if found then
    select * into used from policy.token_used(t, policy.window_start(at), (asked).operation_id);
    grant_single_usd := t.max_single_usd_micros;
    -- Null where it has neither limit.
    grant_left_usd := least(t.daily_usd_micros - used.today, t.total_usd_micros - used.total);
    if grant_left_usd < 0 then grant_left_usd := 0; end if;
  end if;
  if t.id is null or t.ended_at is not null or t.expires_at <= at then
    final_verdict := 'grant_ended';
  elsif coalesce(policy.scope_of((asked).kind) <> all (t.scopes), true) then
    final_verdict := 'insufficient_scope';
    grant_detail := policy.scope_of((asked).kind);
  elsif coalesce(verdict, 'approval_required') = 'approval_required' then
    select l.name, l.limit_usd, l.used_usd into grant_detail, grant_limit_usd, grant_used_usd
    from (values
      ('single', t.max_single_usd_micros, 0::numeric),
      ('daily', t.daily_usd_micros, used.today),
      ('total', t.total_usd_micros, used.total)) as l (name, limit_usd, used_usd)
    where (asked).kind in ('payment', 'trade', 'escrow', 'liquidity_add') and l.used_usd + counted_usd_micros > l.limit_usd
    order by l.limit_usd - l.used_usd limit 1;
    -- Another token of its own is a way out beside a list of recipients, as in violated_rule.
    if t.recipients is not null and ((asked).kind = 'payment' and (asked).target <> all (t.recipients)
      or (asked).kind in ('trade', 'liquidity_add') and (asked).is_unverified and not exists (
        select from policy.policies p where p.agent_id = agent
          and p.allowed_tokens ?& string_to_array((asked).target, ' '))) then
      grant_detail := 'recipients';
      grant_limit_usd := null;
      grant_used_usd := null;
    end if;
    if grant_detail is not null then final_verdict := 'grant_limit'; end if;
  end if;
  return next;
end
$$;
