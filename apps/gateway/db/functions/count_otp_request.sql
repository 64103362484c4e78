-- Whether one more login code may be mailed. The allowance belongs to the e-mail address; the client address that spent
-- all of it and asks for more is blocked, longer each time. The owner of the address loses the rest
-- of one window at most.
create or replace function count_otp_request(mail text, asker text, allowance integer, now_at timestamptz)
returns table (allowed boolean, remaining integer, resets_at timestamptz) language plpgsql as $$
declare
  pair login_blocks;
  win record;
  own integer;
begin
  insert into login_blocks as b (email, client, touched_at) values (mail, asker, now_at)
    on conflict (email, client) do update set touched_at = now_at
    returning * into pair;
  allowed := false;
  remaining := 0;
  resets_at := pair.blocked_until;
  if pair.blocked_until > now_at then
    return next;
    return;
  end if;
  select t.taken, t.resets_at into win from take('start:' || mail, interval '10 minutes', now_at) as t;
  own := case when pair.window_resets_at = win.resets_at then pair.requested else 0 end;
  if win.taken <= allowance then
    update login_blocks as b set requested = own + 1, window_resets_at = win.resets_at
      where b.email = mail and b.client = asker;
    allowed := true;
    remaining := allowance - win.taken;
    resets_at := win.resets_at;
  elsif own < allowance then
    resets_at := win.resets_at;
  else
    update login_blocks as b set
      level = least(pair.level + 1, 4),
      blocked_until = now_at
        + (array[interval '10 minutes', interval '1 hour', interval '6 hours', interval '24 hours'])[least(pair.level + 1, 4)]
      where b.email = mail and b.client = asker
      returning b.blocked_until into resets_at;
  end if;
  return next;
end
$$;
