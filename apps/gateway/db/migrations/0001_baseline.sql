-- Who logs in. The address is kept when the wallet service has made the wallet.
create table agents (
  id uuid primary key,
  email text not null unique,
  address text,
  created_at timestamptz not null,
  first_login_at timestamptz
);

-- A token is good while its session is here, not revoked and not over.
create table sessions (
  id uuid primary key,
  agent_id uuid not null references agents (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index sessions_by_end on sessions (expires_at);

-- One mailed code. While a login with the right code is under way it is claimed; the claim lapses with its process.
create table otps (
  otp_id uuid primary key,
  email text not null,
  code_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  attempts integer not null default 0,
  claimed_by uuid,
  claimed_until timestamptz,
  used_at timestamptz
);
create index otps_of_an_email on otps (email, created_at);
create index otps_by_end on otps (expires_at);

-- Counters of windows that begin with their first request.
create table rate_windows (
  key text primary key,
  taken integer not null,
  resets_at timestamptz not null
) with (fillfactor = 50);
create index rate_windows_by_end on rate_windows (resets_at);

-- What one client address asked for one e-mail address, and how often it went too far.
create table login_blocks (
  email text not null,
  client text not null,
  requested integer not null default 0,
  window_resets_at timestamptz,
  level integer not null default 0,
  blocked_until timestamptz,
  touched_at timestamptz not null,
  primary key (email, client)
);

-- Every financial request: its key, the operation it stands for, and the final answer.
create table idempotency_records (
  operation_id uuid primary key,
  agent_id uuid not null,
  idempotency_key text,
  request_hash bytea not null,
  action text not null,
  input text not null,
  state text not null check (state in ('claimed', 'submitted', 'final')),
  fence integer not null default 1,
  leased_until timestamptz not null,
  poll_at timestamptz not null,
  polls integer not null default 0,
  signature text not null default '',
  response_status integer,
  response_message text,
  response_data text,
  created_at timestamptz not null,
  finished_at timestamptz,
  check ((state = 'final') = (finished_at is not null and response_status is not null and response_data is not null)),
  unique (agent_id, idempotency_key)
);
create index idempotency_records_open on idempotency_records (poll_at) where state <> 'final';
create index idempotency_records_by_end on idempotency_records (finished_at) where state = 'final';
