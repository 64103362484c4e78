-- Requests at the door, one or many, in one round trip and one commit. Each is answered as if they had come one after
-- another, in their order. A request of a session that is good counts for its principal alone: the agent, or the scoped token
-- that it is made with. Every other one counts for its client address. So agents behind one address do not use up each
-- other's requests, nor does a stranger there, and a weak token does not use up its agent's.
--
-- Client addresses are counted in order of name, then principals, so that two statements never wait for each other in a
-- circle. Counters may be lost with the database's machine, so the commit does not wait for the disk.
create or replace function admit(
  client_names text[], session_ids uuid[], session_agents uuid[], session_tokens uuid[], now_at timestamptz
) returns table (
  session_good boolean, taken integer, resets_at timestamptz
) language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
    with asked as materialized (
      select a.place, s.id is not null as is_good,
        case when s.id is null then 'client:' || a.client
          when a.token_id is not null then 'token:' || a.token_id
          else 'agent:' || a.agent_id end as key
      from unnest(client_names, session_ids, session_agents, session_tokens)
        with ordinality as a (client, session_id, agent_id, token_id, place)
      left join sessions as s on s.id = a.session_id and s.agent_id = a.agent_id
        and s.revoked_at is null and s.expires_at > now_at
    ), in_turn as materialized (
      select a.*, row_number() over (partition by a.key order by a.place)::integer as turn,
        count(*) over (partition by a.key)::integer as count
      from asked as a
    ), windows as (
      insert into rate_windows as w (key, taken, resets_at)
        select a.key, count(*), now_at + interval '1 minute' from in_turn as a
          group by a.is_good, a.key order by a.is_good, a.key
      on conflict (key) do update set
        taken = case when w.resets_at <= now_at then 0 else least(w.taken, 1000000) end + excluded.taken,
        resets_at = case when w.resets_at <= now_at then excluded.resets_at else w.resets_at end
      returning w.key, w.taken, w.resets_at
    )
    select a.is_good, w.taken - a.count + a.turn, w.resets_at
    from in_turn as a join windows as w on w.key = a.key
    order by a.place;
end
$$;
