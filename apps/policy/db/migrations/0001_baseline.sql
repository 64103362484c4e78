-- Policies, and what is reserved and spent under them. Money is micro-dollars; every time is policy.now(). The decisions
-- are in the functions beside this folder.

-- Every reservation writes both tables, and every check constraint costs it several microseconds: only the one that would
-- report a broken sum is here. Bounds of fields are the application's.
create table policies (
  agent_id uuid primary key,
  max_single_transaction_usd_micros bigint not null,
  daily_limit_usd_micros bigint not null,
  allowed_recipients text[] not null,
  allow_trading boolean not null,
  allow_liquidity_provision boolean not null,
  allow_prediction_markets boolean not null,
  session_expiration_hours integer not null,
  approval_lifetime_hours integer not null default 24,
  -- allow, approve or deny: payments to recipients that are not known.
  new_recipients text not null default 'allow',
  -- How long a payment must have been settled before its recipient is known.
  new_recipient_cool_down_hours integer not null default 0,
  approve_above_usd_micros bigint, -- null: no amount needs an approval
  -- What an agent may acquire: lists of texts as JSON, because null (everything is allowed) must differ from [] (nothing
  -- is). Base58 mints that trades may bring; that of wrapped SOL stands for SOL.
  allowed_tokens jsonb,
  -- Those of them that an owner's signature added: only these lead around a restriction of recipients.
  owner_listed_tokens text[] not null default '{}',
  -- Tickers of markets that may be bought in, or their beginnings up to a hyphen.
  allowed_markets jsonb,
  -- Most that a trade may lose between the values of its input and its least output; null: the request's own bound.
  max_trade_loss_bps integer,
  -- Base58 mints that may leave without a price, at no value.
  unpriced_tokens text[] not null default '{}',
  allow_mail_login boolean not null default true,
  -- Rises with each change of the fields above.
  version bigint not null default 1,
  -- Since when the agent has an owner, whose signature a loosening change needs.
  claimed_at timestamptz,
  created_at timestamptz not null default now(),
  -- The owner that the agent named at its first login: the only one who can claim it.
  named_owner_id uuid,
  -- Whose allowance of sponsorship it shares: a keyed hash of its mailbox. Null: it has its own. Set once.
  mailbox_id bytea,
  -- Since when new_recipients has not been allow; null while it is. See known_since.
  new_recipients_since timestamptz,
  -- The sum of open reservations.
  reserved_usd_micros bigint not null default 0,
  -- The sum of what was settled after settled_since. The holder of the row's lock moves settled_since to the start of the
  -- window and takes what left it (or came back with the clock) from the reservations in between: each row is read about once.
  settled_usd_micros bigint not null default 0,
  settled_since timestamptz not null default '-infinity',
  constraint sums_are_not_negative check (least(reserved_usd_micros, settled_usd_micros) >= 0)
) with (fillfactor = 50);
create index policies_by_mailbox on policies (mailbox_id) where mailbox_id is not null;

create type attempt_state as enum ('open', 'settled', 'failed', 'expired');

-- What a request does with the agent's money: sends it away, makes another token of it, pays for an order with it, leaves
-- it as it is, or brings it.
create type spending as enum ('payment', 'trade', 'escrow', 'self', 'payout', 'liquidity_add', 'liquidity_remove');

-- One row for each attempt that was ever permitted. An operation has one reservation at a time: a further attempt is
-- made only after the one before is proven to have moved nothing.
create table reservations (
  operation_id uuid not null,
  step integer not null,
  attempt integer not null,
  -- An agent with a policy: no foreign key, because the only insert holds that policy's lock already.
  agent_id uuid not null,
  intent bytea not null,
  message_hash bytea not null,
  value_usd_micros bigint not null,
  state attempt_state not null default 'open',
  created_at timestamptz not null,
  settled_at timestamptz,
  -- What the owner of the operation showed while the outcome was open: lets policy find the outcome by itself.
  message bytea,
  signature bytea,
  next_check_at timestamptz not null,
  -- Network fee and rent that the sponsor pays at most.
  sponsored_lamports bigint not null default 0,
  -- Whether rent of another party's account is among them.
  sponsors_account boolean not null default false,
  -- When the lamports were spent: 'infinity' while that is open, null when there are none or they were released. So all
  -- that counts is one range of one index, from the start of the window to infinity.
  sponsored_at timestamptz,
  -- Base units that an escrow takes, and what they were valued at: value_usd_micros is what of it still counts.
  escrowed_amount numeric(20, 0),
  escrowed_usd_micros bigint,
  -- Base units that a payout brings. Its value_usd_micros is 0: to get money takes nothing of the agent's limits.
  payout_amount numeric(20, 0),
  -- Of an addition of liquidity: the part of its value that is of the first token, which settles by what left of each.
  side0_usd_micros bigint,
  -- When they were paid, as sponsored_at.
  paid_out_at timestamptz,
  -- Of a settled payout: whether settled escrows of its operation brought as much. It counts no more, but recovery knows it.
  payout_covered boolean not null default false,
  approval_id uuid, -- that it was granted with
  token_id uuid, -- the scoped token of its operation; null for what the agent's own sessions ask for
  -- What of its kind it is about, see violated_rule; null in rows that nothing compares with.
  spent_as spending,
  target text,
  -- Of a payment: base58 of what was sent, `native` for SOL, and base units without the fee.
  sent_mint text, sent_amount numeric,
  primary key (operation_id, step, attempt)
) with (fillfactor = 80);

create index reservations_settled on reservations (agent_id, settled_at) include (value_usd_micros)
  where state = 'settled';
create index reservations_by_token on reservations (token_id, settled_at) include (value_usd_micros, state)
  where token_id is not null;
create index reservations_open on reservations (agent_id) where state = 'open';
create index reservations_due on reservations (next_check_at) where state = 'open';
create index reservations_sponsored on reservations (agent_id, sponsored_at)
  include (sponsored_lamports, sponsors_account) where sponsored_at is not null;
create index reservations_sponsored_by_all on reservations (sponsored_at) include (sponsored_lamports)
  where sponsored_at is not null;
create index reservations_treasury_moves on reservations (agent_id, created_at)
  where coalesce(escrowed_amount, payout_amount) is not null;
create index reservations_paid_out on reservations (paid_out_at) include (payout_amount) where paid_out_at is not null;

-- Bounds of the operator, as the settings of the service have them.
create type operator_bounds as (
  lamports_per_transaction bigint,
  accounts_per_agent_day bigint,
  lamports_per_agent_day bigint,
  lamports_per_day bigint,
  payouts_per_day numeric, -- base units that the treasury pays to all agents
  treasury_moves_per_agent_day bigint, -- see treasury_moves_of
  requires_owner boolean -- see violated_rule
);

-- A request to reserve, as `reserve` and `dry_run` take it: a new fact of a request is an attribute more.
create type reservation_request as (
  operation_id uuid, step integer, attempt integer, intent bytea, message_hash bytea,
  kind spending,
  target text, -- see violated_rule
  is_off_curve boolean,
  value_usd_micros bigint,
  -- Of a value that is null because the mint that leaves has no price: that mint, and the value of all else that leaves.
  unpriced_mint text,
  other_usd_micros bigint,
  -- Of a trade. What its least output is worth less than its input, null where the output has no price; the loss that the
  -- request tolerates, and whether it takes an output without a price.
  loss_bps integer, max_loss_bps integer, takes_unpriced boolean,
  -- Whether a trade or a pool brings a token that neither has a name here nor is verified.
  is_unverified boolean,
  side0_usd_micros bigint, -- of an addition of liquidity, see reservations
  -- Network fee and rent that the sponsor would pay; 0 without one.
  lamports bigint,
  -- Whether rent of another party's account is among them; its value, and that of what the party gets. See is_worth_rent.
  makes_account boolean, rent_usd_micros bigint, received_usd_micros bigint,
  amount numeric(20, 0), -- base units of an escrow or a payout
  -- Of a payment, see reservations.
  sent_mint text, sent_amount numeric,
  -- Of an operation that an owner has been asked about.
  approval_id uuid,
  token_id uuid, -- see reservations; of a dry run as its caller says, else by token_operations
  event_id uuid, payload bytea
);

-- The outcome of an attempt, as `settle` takes it.
create type settlement as (
  operation_id uuid, step integer, attempt integer,
  outcome text,
  landed_at timestamptz,
  -- Of an addition of liquidity that is settled: the value that left, at the prices of its permit; null for all of it.
  value_usd_micros bigint,
  -- To whom a payment went, whom its settlement makes known.
  recipient text,
  event_id uuid, payload bytea
);

-- The whole deployment's sum of sponsored lamports that are open or were spent after sponsored_since, which moves like
-- settled_since of a policy. A change of what it sums up holds the row's lock, taken after that of the policy.
create table sponsorship (
  is_only boolean primary key default true check (is_only),
  sponsored_lamports bigint not null default 0 check (sponsored_lamports >= 0),
  sponsored_since timestamptz not null default '-infinity'
) with (fillfactor = 10);
insert into sponsorship default values;

-- Payouts of the whole deployment, in one row. Its lock is taken after those of the policy and of sponsorship.
create table payouts (
  is_only boolean primary key default true check (is_only),
  paid_out_amount numeric not null default 0 check (paid_out_amount >= 0),
  paid_out_since timestamptz not null default '-infinity',
  -- Whether an escrow or a payout was ever permitted: so the end of a recovery reads no reservations.
  has_moved boolean not null default false
);
insert into payouts default values;

-- What is frozen now: an agent, or everything under the nil UUID. A grant reads this table for key share, which locks the
-- table in row share mode until the transaction ends, and a change locks it in exclusive mode first: so each waits for the
-- other. Postgres locks before the statement's snapshot, so that what waited sees the change. Plain readers never wait.
create table freezes (
  agent_id uuid not null,
  -- Whose freeze it is: lifting an operator's leaves an owner's.
  source text not null default 'operator',
  operator text not null,
  reason text not null,
  since timestamptz not null,
  primary key (agent_id, source)
);

-- Block heights that policy read by itself. A message that was hashed before a height was read carries a blockhash of
-- at most that height, which bounds its life without trust in its maker.
create table chain_heads (
  height bigint primary key,
  slot bigint not null,
  first_known_at timestamptz not null, last_asked_at timestamptz not null
);
create index chain_heads_by_time on chain_heads (last_asked_at);
create index chain_heads_by_first_time on chain_heads (first_known_at);

-- The last price of each mint that was accepted for limits: digits / 10^scale dollars.
create table accepted_prices (
  mint text primary key,
  digits numeric not null check (digits > 0),
  scale integer not null check (scale >= 0),
  accepted_at timestamptz not null
);

-- The highest accepted price of a mint in each hour of the last day, in dollars: it values what leaves, so that a price
-- that falls opens no limit.
create table accepted_highs (
  mint text not null,
  hour timestamptz not null,
  usd numeric not null check (usd > 0),
  primary key (mint, hour)
);

-- Entries of the aggregator's price API, which all replicas read as one. Times are milliseconds since 1970 by the clock of the
-- replica that wrote them. Unlogged: after a crash they are read again.
create unlogged table price_entries (
  mint text primary key,
  wanted_at_ms bigint not null,
  read_at_ms bigint, -- by the clock of the replica that read it; null: not read yet
  asked_at timestamptz, -- by the database's clock, just before that
  entry text, -- as the API wrote it; null: it has no price
  claim_id uuid, -- of the read that a replica makes
  claimed_at timestamptz,
  claimed_until_ms bigint
);
create index price_entries_by_want on price_entries (wanted_at_ms);

-- When the next read of prices is due at an even pace. Its row is the lock of the table above.
create unlogged table price_pace (
  is_only boolean primary key default true check (is_only),
  due_at_ms bigint not null
);

-- A database that was restored to an earlier time has forgotten what moved since. Nothing is permitted then before the
-- chain was read again: see docs/decisions/0019.

-- The database in which all is known that was permitted, by its database_identity(). This schema is empty and has
-- forgotten nothing, so it is the known one. The functions come after this file, hence the expression.
create table database_identity (
  is_only boolean primary key default true check (is_only),
  identity text not null
);
insert into database_identity (identity) select concat_ws('/',
  (select system_identifier from pg_catalog.pg_control_system()),
  left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 8),
  (select oid from pg_catalog.pg_database where datname = current_database()),
  'policy.reservations'::regclass::oid);

create table recoveries (
  id integer generated always as identity primary key,
  reason text not null,
  started_at timestamptz not null,
  -- What landed before this slot, and what was settled before this time, is known.
  since_slot bigint not null,
  since timestamptz not null,
  -- The last block height at which a message can land that was permitted before; null until a head was read.
  last_height bigint,
  -- A slot that was finalized after that; null until then. All lists are read from nodes that have seen it.
  read_at_slot bigint,
  wallets_reported boolean not null default false,
  ended_at timestamptz,
  -- Whether nothing goes to the treasury or comes from it until an operator says so: orders leave no trace on chain.
  treasury_frozen boolean not null default false
);
create unique index recoveries_one_at_a_time on recoveries ((ended_at is null)) where ended_at is null;

-- Whose transactions are read while a recovery is open.
create table recovery_scans (
  address text primary key,
  -- Null for a wallet of the operator.
  agent_id uuid,
  -- From when on any replica may read it: the end of a lease. Null when it was read.
  due_at timestamptz default '-infinity'
);
create index recovery_scans_due on recovery_scans (due_at) where due_at is not null;

-- What landed, was signed by one of the service's keys, and was forgotten.
create table recovered_transactions (
  signature text primary key,
  recovery_id integer not null references recoveries,
  -- Whose money it moved, or who was paid by it; null when that is unknown.
  agent_id uuid,
  message_hash bytea not null,
  slot bigint not null,
  landed_at timestamptz,
  -- What it counts to the agent's limits.
  value_usd_micros bigint not null
);
create index recovered_transactions_by_agent on recovered_transactions (agent_id);
