-- One try at a login code. It is compared here, so that parallel guesses count one by one against two budgets: the tries
-- at one code (or at an id that does not exist), and the wrong tries of one client network in an hour, at any codes that
-- could still be used. While the second is spent, nothing of the network is compared, and no code loses a try.
--
-- A third budget are the wrong tries at the short codes of a mailbox in a day, of all networks together. While it is spent, no
-- short code of the mailbox is compared, and count_otp_request mails long ones.
--
-- An id that stands for the code of another has tries of its own.
--
-- Hashes are compared through another hash with a fresh salt: the time it takes reveals nothing of either.
create or replace function verify_otp(
  id uuid, mail text, guess_hash bytea, guesser text, allowance integer, wrong_allowance integer,
  mailbox_name text, mailbox_wrong_allowance integer, now_at timestamptz
) returns table (verdict text, resets_at timestamptz) language plpgsql as $$
declare
  wrong rate_windows;
  of_mailbox rate_windows;
  win record;
  code otps;
  target otps;
  salt bytea := uuid_send(gen_random_uuid());
  usable boolean;
begin
  -- Guesses of one network wait for each other here.
  insert into rate_windows as w (key, taken, resets_at) values ('wrong:' || guesser, 0, now_at + interval '1 hour')
    on conflict (key) do update set
      taken = case when w.resets_at <= now_at then 0 else w.taken end,
      resets_at = case when w.resets_at <= now_at then excluded.resets_at else w.resets_at end
    returning * into wrong;
  if wrong.taken >= wrong_allowance then
    return query select 'client_spent', wrong.resets_at;
    return;
  end if;

  select p.* into code from otps as p where p.otp_id = id for update;
  if not found then
    select t.taken, t.resets_at into win from take('complete:' || id, interval '10 minutes', now_at) as t;
    return query select case when win.taken <= allowance then 'wrong' else 'code_spent' end, win.resets_at;
    return;
  end if;
  if code.attempts >= allowance then
    return query select 'code_spent', greatest(code.expires_at, now_at + interval '1 second');
    return;
  end if;

  select p.* into target from otps as p where p.otp_id = coalesce(code.alias_of, code.otp_id);
  usable := target.used_at is null and target.expires_at > now_at;
  if usable and target.email = mail and not target.is_long then
    insert into rate_windows as w (key, taken, resets_at)
      values ('wrong-mailbox:' || mailbox_name, 0, now_at + interval '1 day')
      on conflict (key) do update set
        taken = case when w.resets_at <= now_at then 0 else w.taken end,
        resets_at = case when w.resets_at <= now_at then excluded.resets_at else w.resets_at end
      returning * into of_mailbox;
    if of_mailbox.taken >= mailbox_wrong_allowance then
      return query select 'mailbox_spent', of_mailbox.resets_at;
      return;
    end if;
  end if;
  update otps as p set attempts = p.attempts + 1 where p.otp_id = id;
  if usable and target.email = mail and sha256(salt || target.code_hash) = sha256(salt || guess_hash) then
    return query select 'right', code.expires_at;
    return;
  end if;
  if usable then
    update rate_windows as w set taken = w.taken + 1 where w.key in (wrong.key, of_mailbox.key);
  end if;
  return query select 'wrong', code.expires_at;
end
$$;
