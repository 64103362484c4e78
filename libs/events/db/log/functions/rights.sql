-- Who may use the stream. Files run in order of name: this one after the functions that it grants. Re-creating a function drops
-- its grants, so they are made again here.

-- Lets a role append events and move its outbox.
create or replace function let_publish(publisher text) returns void
  language plpgsql set search_path = events, pg_temp as $$
begin
  insert into publishers (role_name) values (publisher) on conflict do nothing;
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
  execute format('grant usage on schema events to %I', consumer);
  execute format('grant select on log to %I', consumer);
  execute format('grant execute on function prune(bigint, interval, integer) to %I', consumer);
end
$$;

revoke all on function let_publish(text), let_consume(text) from public;

select let_publish(role_name) from publishers where to_regrole(quote_ident(role_name)) is not null;
select let_consume(role_name) from consumers where to_regrole(quote_ident(role_name)) is not null;
