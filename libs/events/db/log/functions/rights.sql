-- Who may use the stream. Every run of the migrations calls these for every role that it is given, so that a role gets the
-- rights that a new version adds. Functions that are made again keep their grants (see keepingGrants), and with them what
-- an operator took away: a known role that has lost a right is left as it is. To let it in again, delete its row first.

-- Lets a role append events and move its outbox.
create or replace function let_publish(publisher text) returns void
  language plpgsql set search_path = events, pg_temp as $$
begin
  insert into publishers (role_name) values (publisher) on conflict do nothing;
  -- What the first version granted: a right that is added later does not indicate a revocation.
  if not found and not (has_schema_privilege(publisher, 'events', 'usage')
    and has_function_privilege(publisher, 'append(uuid[], uuid[], bytea[])', 'execute')
    and has_function_privilege(publisher, 'move_outbox(integer, text, integer, bigint)', 'execute')) then
    raise warning '% may not publish: a right of it was revoked. To let it in again, delete its row first', publisher;
    return;
  end if;
  execute format('grant usage on schema events to %I', publisher);
  execute format('grant execute on function append(uuid[], uuid[], bytea[]) to %I', publisher);
  execute format('grant execute on function move_outbox(integer, text, integer, bigint) to %I', publisher);
end
$$;

-- Lets a role read the log, and forget what it has read and is old.
create or replace function let_consume(consumer text) returns void
  language plpgsql set search_path = events, pg_temp as $$
begin
  insert into consumers (role_name) values (consumer) on conflict do nothing;
  if not found and not (has_schema_privilege(consumer, 'events', 'usage')
    and has_table_privilege(consumer, 'log', 'select')
    and has_function_privilege(consumer, 'prune(bigint, interval, integer)', 'execute')) then
    raise warning '% may not consume: a right of it was revoked. To let it in again, delete its row first', consumer;
    return;
  end if;
  execute format('grant usage on schema events to %I', consumer);
  execute format('grant select on log to %I', consumer);
  execute format('grant execute on function prune(bigint, interval, integer) to %I', consumer);
end
$$;

-- Lets a role read the log, and forget nothing: what it has not read waits for the consumer alone.
create or replace function let_read(reader text) returns void
  language plpgsql set search_path = events, pg_temp as $$
begin
  insert into readers (role_name) values (reader) on conflict do nothing;
  if not found and not (has_schema_privilege(reader, 'events', 'usage')
    and has_table_privilege(reader, 'log', 'select')) then
    raise warning '% may not read: a right of it was revoked. To let it in again, delete its row first', reader;
    return;
  end if;
  execute format('grant usage on schema events to %I', reader);
  execute format('grant select on log to %I', reader);
end
$$;

revoke all on function let_publish(text), let_consume(text), let_read(text) from public;
