-- Claims codes whose mail is due. Networks that have logged in to the mailbox come first and are not counted; all others take
-- turns, network by network, within the deployment's mails of the minute.
create or replace function take_due_mails(
  at_most integer, lease_until timestamptz, mails_allowance integer, now_at timestamptz
) returns setof mail_queue language plpgsql as $$
declare
  strangers integer;
begin
  -- The row is the turn: one replica takes at a time.
  insert into rate_windows as w (key, taken, resets_at) values ('mails', 0, now_at + interval '1 minute')
    on conflict (key) do update set
      taken = case when w.resets_at <= now_at then 0 else w.taken end,
      resets_at = case when w.resets_at <= now_at then excluded.resets_at else w.resets_at end
    returning greatest(mails_allowance - w.taken, 0) into strangers;
  return query
    with due as materialized (
      select q.otp_id, q.is_known, q.due_at, row_number() over (partition by q.client order by q.due_at) as turn
      from mail_queue as q where q.due_at <= now_at
    ), known as (
      select d.otp_id from due as d where d.is_known order by d.turn, d.due_at limit at_most
    ), others as (
      select d.otp_id from due as d where not d.is_known order by d.turn, d.due_at
      limit least(strangers, at_most - (select count(*) from known))
    ), counted as (
      update rate_windows as w set taken = w.taken + (select count(*) from others) where w.key = 'mails'
    )
    update mail_queue as q set due_at = lease_until, tries = q.tries + 1
      from (select k.otp_id from known as k union all select o.otp_id from others as o) as taken
      where q.otp_id = taken.otp_id
      returning q.*;
end
$$;
