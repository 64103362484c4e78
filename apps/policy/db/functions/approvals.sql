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

-- What an approval of a payment or a trade would be about: why one is needed, and a known recipient whose address looks like
-- that of a payment: people compare its beginning or its end. No row when the agent has no policy; no reasons when it needs none. target: see violated_rule.
create or replace function approval_grounds(agent uuid, kind spending, target text, value_usd_micros bigint)
returns table (reasons text[], looks_like text) language sql volatile as $$
  select policy.approval_reasons(p, kind, value_usd_micros, n.is_new), (
    select r.address from policy.recipients r
    where kind = 'payment' and r.agent_id = agent and r.address <> target
      and (left(r.address, 4) = left(target, 4) or right(r.address, 4) = right(target, 4))
    order by (left(r.address, 4) = left(target, 4) and right(r.address, 4) = right(target, 4)) desc, r.address limit 1)
  from policy.policies p, policy.is_new_recipient(agent, target, p.new_recipient_cool_down_hours, policy.now())
    as n (is_new)
  where p.agent_id = agent
$$;
