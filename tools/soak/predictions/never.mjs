// What must never be found in the ledger.

const LEDGER = `case when kind in ('outstanding', 'settling', 'position', 'position_locked') then side || ':' || ticker
  when kind in ('position_cost', 'agent_positions') then 'cost' else 'money' end`;

/** Each statement finds rows that must not be there. */
export const NEVER = {
  'entries that do not sum to zero': `select entry_id from prediction.entry_lines
    group by entry_id, ${LEDGER} having sum(amount) <> 0`,
  'accounts that are not the sum of their lines': `select * from (
      select kind, agent_id, operation_id, ticker, side, sum(amount) as lines from prediction.entry_lines group by 1, 2, 3, 4, 5) l
    full join prediction.accounts a using (kind, agent_id, operation_id, ticker, side)
    where coalesce(l.lines, 0) <> coalesce(a.balance, 0)`,
  'agents with less than nothing': `select * from prediction.accounts
    where (kind in ('escrow', 'prediction_balance', 'withdraw_pending') and balance > 0)
      or (kind in ('position', 'position_locked', 'position_cost') and balance < 0)`,
  'accounts that a quiet service has empty': `select * from prediction.accounts
    where kind in ('escrow', 'withdraw_pending', 'position_locked', 'settling', 'settlement_due') and balance <> 0`,
  'money without an owner': `select * from prediction.accounts where kind in ('suspense_treasury', 'suspense_exchange') and balance <> 0`,
  'pairs that are not a dollar each': `with held as (
      select ticker, coalesce(sum(balance) filter (where side = 'yes'), 0) as yes,
        coalesce(sum(balance) filter (where side = 'no'), 0) as no
      from prediction.accounts where kind in ('position', 'position_locked') group by ticker)
    select * from held h full join (select ticker, -balance as owed from prediction.accounts where kind = 'netted_pairs') p
      using (ticker) where coalesce(least(h.yes, h.no), 0) * 10000 <> coalesce(p.owed, 0)`,
  'orders that were placed twice': `select order_id from prediction.orders where order_id <> '' group by 1 having count(*) > 1`,
  'orders that are still open': `select * from prediction.orders where status = 'open'`,
  'orders whose fills say something else': `select o.operation_id from prediction.orders o
    left join prediction.fills f using (operation_id) group by o.operation_id
    having o.filled <> coalesce(sum(f.count), 0) or o.total_usd_micros <> coalesce(sum(f.total_usd_micros), 0)
      or o.fee_usd_micros <> coalesce(sum(f.fee_usd_micros), 0)`,
  'stops of orders': `select * from prediction.order_halts where ended_at is null`,
  'policies whose sums differ from their rows': `select p.agent_id from policy.policies p
    where p.reserved_usd_micros <> 0 or p.settled_usd_micros <> (select coalesce(sum(value_usd_micros), 0)
      from policy.reservations r where r.agent_id = p.agent_id and r.state = 'settled' and r.settled_at > p.settled_since)`,
  'operations that history shows otherwise': `select o.id from prediction.operations o
    left join history.transactions t on t.id = o.id where o.revision > 0 and coalesce(t.status, '') <>
      (case o.state when 'rejected' then 'rejected_by_policy' else o.state end)`,
};
