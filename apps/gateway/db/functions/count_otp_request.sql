-- Whether one more code may be mailed, and what its caller gets when it may not.
--
-- A network that has logged in to the mailbox has an allowance of its own, which no other can spend. All other networks share
-- one. Who finds it spent by others gets an id of the code that was mailed last, with tries of its own: the mailbox has the
-- code. A client that spends a whole allowance and asks for more is blocked, longer each time. Shared windows that are used
-- up without a login get longer, too.
--
-- Verdicts: mail; delay (mail it later, in turn); live (mail nothing, the id stands for a live code); or the limit that
-- refuses it: email, addresses, mailbox.
create or replace function count_otp_request(
  fresh_id uuid, mail text, code_purpose text, owner text, mailbox_name text, asker_client text, asker_network text,
  allowance integer, address_allowance integer, mailbox_allowance integer, mails_allowance integer, now_at timestamptz
) returns table (verdict text, is_known boolean, remaining integer, resets_at timestamptz) language plpgsql as $$
declare
  pair login_blocks;
  pool login_pools;
  window_end timestamptz;
  own integer;
begin
  insert into login_blocks as b (email, purpose, client, touched_at) values (mail, code_purpose, asker_client, now_at)
    on conflict (email, purpose, client) do update set touched_at = now_at
    returning * into pair;
  is_known := exists (select from login_networks as n where n.mailbox = mailbox_name and n.network = asker_network);
  remaining := 0;
  if pair.blocked_until > now_at then
    verdict := 'email';
    resets_at := pair.blocked_until;
    return next;
    return;
  end if;

  if is_known then
    window_end := case when pair.window_resets_at > now_at then pair.window_resets_at else now_at + escalated(0) end;
  else
    pool := lock_login_pool(mail, code_purpose, allowance, now_at);
    window_end := pool.resets_at;
  end if;
  own := case when pair.window_resets_at = window_end then pair.requested else 0 end;
  resets_at := window_end;

  if own >= allowance then
    verdict := 'email';
    update login_blocks as b set
      level = least(pair.level + 1, 4),
      blocked_until = now_at + escalated(pair.level)
      where b.email = mail and b.purpose = code_purpose and b.client = asker_client
      returning b.blocked_until into resets_at;
    return next;
    return;
  end if;
  if is_known then
    verdict := 'mail';
    remaining := allowance - own - 1;
  elsif pool.taken >= allowance then
    verdict := case when lend_live_otp(fresh_id, pool, owner, now_at) then 'live' else 'email' end;
  else
    select c.verdict, coalesce(c.resets_at, window_end) into verdict, resets_at
      from count_strangers_mail(pair, mailbox_name, address_allowance, mailbox_allowance, mails_allowance, now_at) as c;
    remaining := case when verdict in ('mail', 'delay') then allowance - pool.taken - 1 else 0 end;
  end if;
  if verdict in ('mail', 'delay', 'live') then
    update login_blocks as b set requested = own + 1, window_resets_at = window_end
      where b.email = mail and b.purpose = code_purpose and b.client = asker_client;
  end if;
  return next;
end
$$;

-- Returns the length of a block or window after so many before it; the fourth and later ones last as long.
create or replace function escalated(level integer) returns interval language sql immutable as $$
  select (array[interval '10 minutes', interval '1 hour', interval '6 hours', interval '24 hours'])[least(level, 3) + 1]
$$;

-- Locks what the networks without a login have asked for of an address, and begins its next window when one is over.
create or replace function lock_login_pool(mail text, code_purpose text, allowance integer, now_at timestamptz)
returns login_pools language plpgsql as $$
declare
  pool login_pools;
begin
  insert into login_pools as p (email, purpose, resets_at) values (mail, code_purpose, now_at + escalated(0))
    on conflict (email, purpose) do update set taken = p.taken
    returning * into pool;
  if pool.resets_at > now_at then
    return pool;
  end if;
  pool.level := case
    when pool.taken >= allowance and pool.resets_at > now_at - interval '1 day' then least(pool.level + 1, 3)
    else 0 end;
  update login_pools as p set
    taken = 0,
    lent = 0,
    level = pool.level,
    resets_at = now_at + escalated(pool.level)
    where p.email = mail and p.purpose = code_purpose
    returning * into pool;
  return pool;
end
$$;

-- Makes an id stand for the code that the shared allowance mailed last. It has tries of its own, so that nothing that others
-- send to the code's own id ends it. There are twenty of a window at most: each allows guesses at the code.
create or replace function lend_live_otp(fresh_id uuid, pool login_pools, owner text, now_at timestamptz)
returns boolean language plpgsql as $$
begin
  if pool.lent >= 20 then
    return false;
  end if;
  insert into otps (otp_id, email, code_hash, created_at, expires_at, purpose, owner_email, alias_of)
    select fresh_id, o.email, '', now_at, o.expires_at, o.purpose, o.owner_email, o.otp_id from otps as o
    where o.email = pool.email and o.purpose = pool.purpose and o.owner_email is not distinct from owner
      and o.asker is null and o.alias_of is null and o.mailed_at is not null and o.used_at is null
      and o.expires_at > now_at + interval '1 minute'
    order by o.created_at desc limit 1;
  if not found then
    return false;
  end if;
  update login_pools as p set lent = p.lent + 1 where p.email = pool.email and p.purpose = pool.purpose;
  return true;
end
$$;

-- Counts a mail that a network without a login asked for, against the addresses of the network, the mails of the mailbox and
-- those of the deployment. resets_at is null when it is mailed.
create or replace function count_strangers_mail(
  pair login_blocks, mailbox_name text, address_allowance integer, mailbox_allowance integer, mails_allowance integer,
  now_at timestamptz, out verdict text, out resets_at timestamptz
) language plpgsql as $$
declare
  win record;
begin
  if coalesce(pair.counted_until <= now_at, true) then
    select t.taken, t.resets_at into win from take('addresses:' || pair.client, interval '1 hour', now_at) as t;
    if win.taken > address_allowance then
      verdict := 'addresses';
      resets_at := win.resets_at;
      return;
    end if;
    update login_blocks as b set counted_until = win.resets_at
      where b.email = pair.email and b.purpose = pair.purpose and b.client = pair.client;
  end if;
  -- Variants of an address can be invented without end. The address itself is bounded by its own window, so that they cannot
  -- keep its holder out.
  if pair.email <> mailbox_name then
    select t.taken, t.resets_at into win
      from take('mailbox:' || pair.purpose || ':' || mailbox_name, interval '1 hour', now_at) as t;
    if win.taken > mailbox_allowance then
      verdict := 'mailbox';
      resets_at := win.resets_at;
      return;
    end if;
  end if;
  update login_pools as p set taken = p.taken + 1 where p.email = pair.email and p.purpose = pair.purpose;
  -- Who comes later than mails that wait takes a turn like them.
  verdict := 'delay';
  if not exists (select from mail_queue as q where q.tries = 0 and not q.is_known) then
    select t.taken into win from take('mails', interval '1 minute', now_at) as t;
    verdict := case when win.taken > mails_allowance then 'delay' else 'mail' end;
  end if;
end
$$;
