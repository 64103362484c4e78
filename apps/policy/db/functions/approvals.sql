-- Whether an owner's approval lets its operation spend at this time: signed by enough who are owners of the agent now. One
-- that is used stays usable for what it was used for. The caller holds its lock, and that of the agent's policy.
create or replace function is_usable_approval(approval uuid, agent uuid, operation uuid, at timestamptz) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from policy.approvals a
    where a.id = approval and a.agent_id = agent and a.operation_id = operation and a.state in ('approved', 'used')
      and a.expires_at > at
      and a.threshold <= (
        select count(*) from policy.votes v join policy.agent_owners m on m.owner_id = v.owner_id
        where v.approval_id = a.id and m.agent_id = agent and m.removed_at is null));
end
$$;

-- Whether an operation has an approval, in any state, and nothing of it was ever permitted.
create or replace function was_only_asked_about(agent uuid, operation uuid) returns boolean language sql stable as $$
  select exists (select from policy.approvals where operation_id = operation and agent_id = agent)
    and not exists (select from policy.reservations where operation_id = operation)
$$;

-- Returns the grounds of an operation's approval: why one is needed, and a known recipient whose address looks like
-- that of a payment: people compare its beginning or its end. No row when the agent has no policy; no reasons when it needs none. target: see violated_rule.
create or replace function approval_grounds(agent uuid, asked reservation_request)
returns table (reasons text[], looks_like text) language sql volatile as $$
  select policy.approval_reasons(p, (asked).kind, (asked).value_usd_micros + case
      when p.approve_above_usd_micros is null then 0
      else policy.spent_alike(agent, asked, policy.window_start(t.at), 'infinity') end,
    policy.is_new_recipient(p, asked, t.at, 'infinity')), (
    select r.address from policy.recipients r
    where (asked).kind = 'payment' and r.agent_id = agent and r.address <> a.target
      and (r.first_settled_at is not null or r.trusted_at is not null or r.trust is not null)
      and (left(r.address, 4) = left(a.target, 4) or right(r.address, 4) = right(a.target, 4))
    order by (left(r.address, 4) = left(a.target, 4) and right(r.address, 4) = right(a.target, 4)) desc, r.address limit 1)
  from policy.policies p, (select policy.now()) as t (at), (select (asked).target) as a (target)
  where p.agent_id = agent
$$;

-- Forgets recipients, as an owner wants it: they are as new. What was permitted before makes them known no more.
create or replace function forget_recipients(agent uuid, addresses text[], at timestamptz) returns bigint
language sql volatile as $$
  with forgotten as (
    update policy.recipients r set first_settled_at = null, trusted_at = null, trust = null, signed_at = null,
      trusted_mint = null, trusted_amount = null, forgotten_at = at
    where r.agent_id = agent and r.address = any (addresses)
      and (r.first_settled_at is not null or r.trusted_at is not null or r.trust is not null)
    returning 1)
  select count(*) from forgotten
$$;

-- Has the recipient of a payment be trusted as its owner has signed it. It reads the signed document itself. `once` says
-- nothing of later payments. `always` stays until the recipient is forgotten; of amounts the last one counts.
create or replace function trust_as_signed(approval uuid, at timestamptz) returns void language sql volatile as $$
  insert into policy.recipients as known (agent_id, address, trust, signed_at, trusted_mint, trusted_amount)
  select a.agent_id, d.terms ->> 'recipient', d.terms ->> 'trust', at,
    case d.terms ->> 'trust' when 'daily_amount' then d.terms ->> 'mint' end,
    case d.terms ->> 'trust' when 'daily_amount' then (d.terms ->> 'amount')::numeric end
  from policy.approvals a, lateral (select convert_from(a.document, 'UTF8')::jsonb -> 'terms') as d (terms)
  where a.id = approval and d.terms ->> 'trust' in ('daily_amount', 'always')
  on conflict (agent_id, address) do update set trust = excluded.trust, signed_at = excluded.signed_at,
      trusted_mint = excluded.trusted_mint, trusted_amount = excluded.trusted_amount
    where known.trust is distinct from 'always'
      -- An approval that was signed before its recipient was forgotten does not bring it back.
      and (known.forgotten_at is null
        or known.forgotten_at < (select a.decided_at from policy.approvals a where a.id = approval))
$$;
