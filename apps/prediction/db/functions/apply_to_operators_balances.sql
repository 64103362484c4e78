-- In the order of their kinds, too; a transaction's entries have their turn in the order in which they were written.
--
-- The reconciliation takes entry_id for a mark that moves with every change. Entries are numbered
-- before they wait for the account, so here it is the number that would be given next: under the lock it only rises. What
-- changes contracts of a market moves the mark of the cash, even when it costs nothing.
create or replace function apply_to_operators_balances() returns trigger
  language plpgsql security definer set search_path = prediction, pg_temp as $$
declare
  line record;
begin
  perform from ledger_totals order by kind for no key update;
  update ledger_totals t set balance = t.balance + l.amount
  from (select kind, sum(amount)::bigint as amount from unnest(new.lines) as given (kind, agent_id, operation_id, ticker, side, amount)
        group by kind) as l
  where t.kind = l.kind and l.amount <> 0;
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
        set balance = a.balance + line.amount, entry_id = nextval(pg_get_serial_sequence('journal_entries', 'id'))
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
