-- Agents' wallets: the address is the public key of the agent's key, which only the signer has.
create table wallets (
  agent_id uuid primary key,
  address text not null unique,
  created_at timestamptz not null default clock_timestamp()
);

-- Accounts whose incoming money is looked for: agents' wallets, and the token accounts of each that are known or expected.
create table watched_accounts (
  -- A hundred in a row are one batch: the chain is asked for all of them in one call.
  id bigint generated always as identity primary key,
  address text not null unique,
  agent_id uuid not null references wallets (agent_id),
  -- The wallet that owns it: itself, or the owner of the token account.
  wallet text not null,
  -- Lamports of a wallet, base units of a token account, as they were last seen; null before the first look.
  balance numeric(20, 0),
  -- The slot at which that balance was first seen, and the one before.
  balance_slot bigint not null default 0,
  previous_slot bigint not null default 0,
  -- Everything up to this signature is finalized and was read.
  cursor_signature text,
  cursor_slot bigint not null default 0,
  -- From when on anyone may read its signatures: a request, the end of a lease, or the next try. Null: nothing to read.
  read_due_at timestamptz default clock_timestamp(),
  failures integer not null default 0,
  -- `slot signature` of the newest transactions beyond the cursor that were read: no other replica reads them again.
  read_beyond text[] not null default '{}',
  -- Strangers can open any number of accounts for a wallet. Those after its first are swept in turn.
  is_polled boolean not null default true,
  -- Wallets only: when its signatures are read though no balance changed; now and then its token accounts, too.
  sweep_due_at timestamptz,
  -- Of a wallet, or of an account that is not polled.
  sweeps integer not null default 0
);

create index watched_accounts_to_read on watched_accounts (read_due_at) where read_due_at is not null;
create index watched_accounts_to_sweep on watched_accounts (sweep_due_at) where sweep_due_at is not null;
create index watched_accounts_by_agent on watched_accounts (agent_id);

create table poll_batches (
  number bigint primary key,
  -- The next poll, or the end of a lease.
  due_at timestamptz not null default clock_timestamp()
);

create index poll_batches_due on poll_batches (due_at);

-- What one account gained in one transaction. Rows are never removed: one that was dropped may land again.
create table deposits (
  id uuid primary key,
  signature text not null,
  account text not null,
  agent_id uuid not null references wallets (agent_id),
  wallet text not null,
  -- Empty for the native coin.
  mint text not null,
  decimals smallint not null,
  amount numeric(20, 0) not null check (amount > 0),
  -- Empty where it is not plain.
  sender text not null,
  slot bigint not null,
  state text not null check (state in ('pending', 'confirmed', 'dropped')),
  -- Counts the changes that were sent to history.
  revision integer not null default 1,
  created_at_ms bigint not null,
  -- The next poll of its transaction, or the end of a lease; null when the state is final.
  settle_due_at timestamptz,
  unique (signature, account)
);

create index deposits_to_settle on deposits (settle_due_at) where settle_due_at is not null;

-- Transactions that name a watched account and that no node could show, or that could not be decoded. Their readers pass
-- them; each is tried again at `retry_at`, later every time, and removed once it was read.
create table unreadable_transactions (
  signature text primary key,
  slot bigint not null,
  -- Reads after the one that found it unreadable.
  retries integer not null default 0,
  -- The next try, or the end of a lease.
  retry_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);

create index unreadable_transactions_to_retry on unreadable_transactions (retry_at);
