-- Nearly every entry changes the operator's accounts, and a transaction that changes one locks it until it ends. So
-- they are changed as the last thing that a transaction does, without a round trip to the service while they are locked.
-- Nothing is refused because of what they hold.
create or replace function is_operators(kind account_kind) returns boolean immutable language sql return
  kind in ('operator_float', 'exchange_costs', 'rounding', 'exchange_cash', 'treasury_usdc');
