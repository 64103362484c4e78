-- Nearly every entry changes the operator's accounts, and whoever changes one keeps it locked until its transaction ends. So
-- they are changed as the last thing that a transaction does, without a round trip to the service while they are locked.
-- Nothing is refused because of what they hold.
create function is_operators(kind account_kind) returns boolean immutable language sql return
  kind in ('operator_float', 'exchange_costs', 'rounding', 'exchange_cash', 'treasury_usdc');

create or replace function carry_into_accounts() returns trigger
  language plpgsql security definer set search_path = prediction, pg_temp as $$
declare
  line record;
begin
  -- One after the other in the order of their kinds, so that no two entries wait for each other in a circle. The
  -- sum of a new account is inserted only when there is none to change: a check looks at the inserted row, too.
  for line in
    select l.kind, l.agent_id, l.operation_id, l.ticker, l.side, sum(l.amount)::bigint as amount
    from unnest(new.lines) as l (kind, agent_id, operation_id, ticker, side, amount)
    where not is_operators(l.kind)
    group by l.kind, l.agent_id, l.operation_id, l.ticker, l.side
    order by l.kind, l.agent_id, l.operation_id, l.ticker, l.side
  loop
    loop
      update accounts a set balance = a.balance + line.amount, entry_id = new.id
      where (a.agent_id, a.kind, a.operation_id, a.ticker, a.side)
        = (line.agent_id, line.kind, line.operation_id, line.ticker, line.side);
      exit when found;
      insert into accounts (kind, agent_id, operation_id, ticker, side, balance, entry_id)
      values (line.kind, line.agent_id, line.operation_id, line.ticker, line.side, line.amount, new.id)
      on conflict do nothing;
      exit when found;
    end loop;
    -- An operation's own accounts end empty; the journal remembers them. Found by their key, however many accounts there are.
    if line.operation_id <> '00000000-0000-0000-0000-000000000000' then
      delete from accounts a
      where (a.agent_id, a.kind, a.operation_id, a.ticker, a.side)
        = (line.agent_id, line.kind, line.operation_id, line.ticker, line.side) and a.balance = 0;
    end if;
  end loop;
  return null;
end
$$;

-- In the order of their kinds, too; a transaction's entries have their turn in the order in which they were written.
--
-- Whoever compares the books with the outside takes entry_id for a mark that moves with every change. Entries are numbered
-- before they wait for the account, so here it is the number that would be given next: under the lock it only rises. What
-- changes contracts of a market moves the mark of the cash, even when it costs nothing.
create function carry_into_operators_accounts() returns trigger
  language plpgsql security definer set search_path = prediction, pg_temp as $$
declare
  line record;
begin
  for line in
    select l.kind, l.agent_id, l.operation_id, l.ticker, l.side, sum(l.amount)::bigint as amount
    from (
      select kind, agent_id, operation_id, ticker, side, amount
      from unnest(new.lines) as given (kind, agent_id, operation_id, ticker, side, amount)
      where is_operators(kind)
      union all
      select 'exchange_cash'::account_kind, '00000000-0000-0000-0000-000000000000'::uuid,
        '00000000-0000-0000-0000-000000000000'::uuid, '', '', 0::bigint
      where exists (
        select from unnest(new.lines) as given (kind, agent_id, operation_id, ticker, side, amount)
        where kind = 'outstanding')
    ) as l (kind, agent_id, operation_id, ticker, side, amount)
    group by l.kind, l.agent_id, l.operation_id, l.ticker, l.side
    order by l.kind, l.agent_id, l.operation_id, l.ticker, l.side
  loop
    loop
      perform from accounts a
      where (a.agent_id, a.kind, a.operation_id, a.ticker, a.side)
        = (line.agent_id, line.kind, line.operation_id, line.ticker, line.side)
      for no key update;
      if found then
        update accounts a
        set balance = a.balance + line.amount, entry_id = nextval(pg_get_serial_sequence('entries', 'id'))
        where (a.agent_id, a.kind, a.operation_id, a.ticker, a.side)
          = (line.agent_id, line.kind, line.operation_id, line.ticker, line.side);
        exit;
      end if;
      insert into accounts (kind, agent_id, operation_id, ticker, side, balance, entry_id)
      values (line.kind, line.agent_id, line.operation_id, line.ticker, line.side, line.amount, new.id)
      on conflict do nothing;
      exit when found;
    end loop;
  end loop;
  return null;
end
$$;

create constraint trigger carry_into_operators_accounts after insert on entries
  deferrable initially deferred for each row execute function carry_into_operators_accounts();
