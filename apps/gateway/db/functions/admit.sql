-- Requests at the door, one or many, in one round trip and one commit. Each is answered as if they had come one after
-- another, in their order: its client address is counted, its session is looked up, its agent is counted. What one step
-- refuses, the next does not count.
--
-- Client addresses are counted in order of name, then agents, so that two statements never wait for each other in a circle.
-- Counters may be lost with the database's machine, so the commit does not wait for the disk.
create or replace function admit(
  client_names text[], client_limit integer, session_ids uuid[], session_agents uuid[], now_at timestamptz
) returns table (
  client_taken integer, client_resets_at timestamptz, session_good boolean,
  agent_taken integer, agent_resets_at timestamptz
) language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  return query
    with asked as materialized (
      select a.place, a.client, a.session_id, a.agent_id,
        row_number() over (partition by a.client order by a.place)::integer as turn
      from unnest(client_names, session_ids, session_agents) with ordinality as a (client, session_id, agent_id, place)
    ), client_windows as (
      insert into rate_windows as w (key, taken, resets_at)
        select 'client:' || a.client, count(*), now_at + interval '1 minute' from asked as a group by a.client order by 1
      on conflict (key) do update set
        taken = case when w.resets_at <= now_at then 0 else least(w.taken, 1000000) end + excluded.taken,
        resets_at = case when w.resets_at <= now_at then excluded.resets_at else w.resets_at end
      returning w.key, w.taken, w.resets_at
    ), at_clients as materialized (
      select a.*, w.taken - count(*) over (partition by a.client)::integer + a.turn as taken, w.resets_at
      from asked as a join client_windows as w on w.key = 'client:' || a.client
    ), with_sessions as materialized (
      select c.place, 'agent:' || c.agent_id as key,
        row_number() over (partition by c.agent_id order by c.place)::integer as turn
      from at_clients as c join sessions as s on s.id = c.session_id and s.agent_id = c.agent_id
      where c.taken <= client_limit and s.revoked_at is null and s.expires_at > now_at
    ), agent_windows as (
      insert into rate_windows as w (key, taken, resets_at)
        select s.key, count(*), now_at + interval '1 minute' from with_sessions as s group by s.key order by 1
      on conflict (key) do update set
        taken = case when w.resets_at <= now_at then 0 else least(w.taken, 1000000) end + excluded.taken,
        resets_at = case when w.resets_at <= now_at then excluded.resets_at else w.resets_at end
      returning w.key, w.taken, w.resets_at
    )
    select c.taken, c.resets_at, s.place is not null,
      w.taken - count(*) over (partition by s.key)::integer + s.turn, w.resets_at
    from at_clients as c left join with_sessions as s on s.place = c.place left join agent_windows as w on w.key = s.key
    order by c.place;
end
$$;
