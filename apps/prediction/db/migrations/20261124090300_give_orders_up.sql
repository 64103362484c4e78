-- Orders that the exchange said it has and never showed, which an operator, who has asked the exchange, declared not to
-- exist. An order that shows itself after all goes on as if it had never been given up.
create table given_up_orders (
  client_order_id uuid primary key,
  operation_id uuid not null,
  given_up_at timestamptz not null default clock_timestamp()
);

do $$
declare
  worker text;
begin
  for worker in
    select distinct grantee::regrole::text from pg_namespace n, aclexplode(n.nspacl)
    where n.nspname = 'prediction' and grantee not in (0, n.nspowner)
  loop
    execute format('revoke update, delete, truncate on given_up_orders from %s', worker);
  end loop;
end
$$;
