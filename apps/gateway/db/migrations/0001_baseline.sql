-- Who logs in. The address is kept when the wallet service has made the wallet.
create table agents (
  id uuid primary key,
  email text not null unique,
  address text,
  created_at timestamptz not null,
  first_login_at timestamptz,
  -- The owner that the first login named; policy lets no other claim the agent.
  named_owner_id uuid
);

-- A token is good while its session is here, not revoked and not over. The sessions that one login and its refreshes open
-- are a family: the id of its first session.
create table sessions (
  id uuid primary key,
  agent_id uuid not null references agents (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  family_id uuid not null,
  -- When a mailed code last proved the agent's address.
  authenticated_at timestamptz not null,
  -- The session that a refresh put in this one's place, at revoked_at.
  replaced_by uuid,
  -- The first use exactly, later ones to the minute; null before the first.
  last_used_at timestamptz,
  -- Where the client was at last_used_at, or when the session was opened: /24 or /48.
  network text,
  -- The scoped token of policy that it stands for, made by a session of its family; null for the sessions of logins.
  token_id uuid
);
create index sessions_by_end on sessions (expires_at);
create index sessions_of_an_agent on sessions (agent_id) where revoked_at is null;
create index sessions_by_token on sessions (token_id) where token_id is not null;

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
  used_at timestamptz,
  -- What it was mailed for: only codes of one purpose displace each other. Its hash binds it to its use.
  purpose text not null,
  -- The owner that a first login with this code names, or who claims with it.
  owner_email text,
  -- The network that asked for it, when it had logged in to the mailbox before; null for all others, which share theirs.
  asker text,
  -- When the mail server accepted it; null until then.
  mailed_at timestamptz,
  -- The code that this id stands for, with tries of its own; null for a code itself.
  alias_of uuid references otps (otp_id) on delete cascade,
  -- Whether it is too long to guess: twelve digits in place of six.
  is_long boolean not null default false
);
create index otps_of_an_email on otps (email, created_at);
create index otps_by_alias on otps (alias_of) where alias_of is not null;
create index otps_by_end on otps (expires_at);

-- Counters of windows that begin with their first request.
create table rate_windows (
  key text primary key,
  taken integer not null,
  resets_at timestamptz not null
) with (fillfactor = 50);
create index rate_windows_by_end on rate_windows (resets_at);

-- Codes of one e-mail address and purpose that one client address asked for, and how often it went too far.
create table login_blocks (
  email text not null,
  purpose text not null,
  client text not null,
  requested integer not null default 0,
  window_resets_at timestamptz,
  -- End of the hour in which the client's request for this address is counted among its addresses.
  counted_until timestamptz,
  level integer not null default 0,
  blocked_until timestamptz,
  touched_at timestamptz not null,
  primary key (email, purpose, client)
);
create index login_blocks_by_end on login_blocks ((coalesce(blocked_until, touched_at)));

-- Codes of one e-mail address and purpose that the clients of one known network asked for; or, for each owner that codes name,
-- all networks together which have never logged in to the mailbox.
create table login_pools (
  id bigint generated always as identity unique,
  email text not null,
  purpose text not null,
  -- The named owner; empty for none.
  owner text not null,
  -- The known network (/24, /48); empty for all others.
  network text not null,
  taken integer not null default 0,
  -- How many more ids its codes got, for callers who found it used up.
  lent integer not null default 0,
  -- How many windows in a row were used up without a login; the next ones are longer.
  level integer not null default 0,
  -- Time of the latest request that was granted a mail; null when the mail failed.
  asked_at timestamptz,
  resets_at timestamptz not null,
  primary key (email, purpose, owner, network)
);
create index login_pools_by_end on login_pools (resets_at);

-- Networks (/24, /48) of clients that proved that they read a mailbox.
create table login_networks (
  mailbox text not null,
  network text not null,
  seen_at timestamptz not null,
  primary key (mailbox, network)
);
create index login_networks_by_time on login_networks (seen_at);

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
  -- The network that the request came from: /24 or /48.
  network text,
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

-- Codes that the mail server has not accepted yet. A row holds no code: each try mails a fresh one.
create table mail_queue (
  otp_id uuid primary key references otps (otp_id) on delete cascade,
  -- What the code is mailed for (CodeUse): its hash and the text of the mail depend on it.
  use jsonb not null,
  -- Who asked: networks take turns, and those that have logged in to the mailbox before come first.
  client text not null,
  is_known boolean not null,
  -- Tries since the row was added; also the fencing token of the latest one.
  tries integer not null default 0,
  due_at timestamptz not null
);
create index mail_queue_by_time on mail_queue (due_at);

-- People above agents, by their e-mail address. Policy knows an owner by this id alone, and keeps passkeys and claims.
create table owners (
  id uuid primary key,
  email text not null unique,
  created_at timestamptz not null
);

-- Sessions of owners' browsers. The token itself is in the browser's cookie alone.
create table owner_sessions (
  token_hash bytea primary key,
  -- Names the session in lists; not a secret.
  id uuid not null unique,
  owner_id uuid not null references owners (id),
  authenticated_by text not null check (authenticated_by in ('mail', 'passkey')),
  -- The passkey, with whose removal the session ends; null of a session by mail.
  credential_id bytea,
  authenticated_at timestamptz not null,
  -- When a mailed code last proved the owner's address; null without one.
  mail_proven_at timestamptz,
  used_at timestamptz not null,
  -- Network of the login: /24 of IPv4, /48 of IPv6.
  network text not null
);
create index owner_sessions_by_owner on owner_sessions (owner_id);
create index owner_sessions_by_use on owner_sessions (used_at);

-- Agents whose earlier sessions end when a claim is applied, from before the vote until they have ended: a crash between
-- the two leaves a row, and another replica ends the sessions.
create table claim_evictions (
  approval_id uuid primary key,
  agent_id uuid not null references agents (id),
  owner_id uuid not null references owners (id),
  due_at timestamptz not null
);
create index claim_evictions_by_time on claim_evictions (due_at);

-- Position of this service in the event stream; used where Postgres carries it.
create table event_positions (
  consumer text primary key,
  position bigint not null
);

-- Owners of agents, as events name them. Policy decides who is one; this says who gets notices.
create table notice_members (
  agent_id uuid not null,
  owner_id uuid not null,
  primary key (agent_id, owner_id)
);

-- Networks that sessions of an agent were opened from. The first one of an agent is expected.
create table notice_networks (
  agent_id uuid not null,
  network text not null,
  seen_at timestamptz not null,
  primary key (agent_id, network)
);
create index notice_networks_by_time on notice_networks (seen_at);

-- Addresses that an agent has paid.
create table notice_recipients (
  agent_id uuid not null,
  address text not null,
  primary key (agent_id, address)
);

-- Notices by event and mailbox: a second delivery of the event finds its row.
create table notices (
  event_id uuid not null,
  mailbox text not null,
  kind text not null,
  noted_at timestamptz not null,
  -- Waits for the mailbox's next digest; null once it was mailed, by itself or in a digest.
  digest_text text,
  primary key (event_id, mailbox)
);
create index notices_by_time on notices (noted_at);
create index notices_in_digests on notices (mailbox, noted_at) where digest_text is not null;

-- Counters of the notices that a mailbox got one by one in its day, which begins with the first.
create table notice_mailboxes (
  mailbox text primary key,
  day_began_at timestamptz not null,
  mailed integer not null default 0,
  urgent integer not null default 0,
  digest_due_at timestamptz
);
create index notice_mailboxes_by_digest on notice_mailboxes (digest_due_at) where digest_due_at is not null;
create index notice_mailboxes_by_day on notice_mailboxes (day_began_at);

-- Mails of notices and digests until the mail server has accepted them.
create table notice_mails (
  id uuid primary key,
  mailbox text not null,
  subject text not null,
  body text not null,
  html text not null,
  queued_at timestamptz not null,
  -- Tries so far; also the fencing token of the latest one.
  tries integer not null default 0,
  due_at timestamptz not null
);
create index notice_mails_by_time on notice_mails (due_at);

-- Ends of all sessions of an agent, written with them and kept until policy has voided what the agent waits for: a crash
-- between the two leaves a row, and another replica reports it.
create table evictions (
  eviction_id uuid primary key,
  agent_id uuid not null references agents (id),
  -- Operations that were asked for before are void.
  asked_before timestamptz not null,
  token_ids uuid[] not null, -- scoped tokens that ended with it
  noted_at timestamptz not null,
  due_at timestamptz not null
);
create index evictions_by_time on evictions (due_at);

-- Requests that an agent's host prepared and may execute. The id is also the idempotency key: a handle pays once.
create table prepared_requests (
  id uuid primary key,
  agent_id uuid not null references agents (id),
  -- The scoped token that prepared it and alone may execute it; null for the sessions of logins.
  token_id uuid,
  tool text not null,
  -- Arguments of the tool, as JSON text.
  arguments text not null,
  -- The changes of balances that were shown, as JSON text; null where no price can change them.
  quote text,
  expires_at timestamptz not null,
  executed_at timestamptz
);
create index prepared_requests_by_end on prepared_requests (expires_at);
create index prepared_requests_unused on prepared_requests (expires_at) where executed_at is null;

-- Apps that asked for a scoped token (OAuth), what an owner decided, and the code with which the app gets it.
create table connections (
  id uuid primary key,
  client_id text not null,
  client_name text not null,
  client_uri text,
  redirect_uri text not null,
  scopes text[] not null,
  -- As the app sent it; it comes back with the code.
  state text,
  code_challenge text not null,
  -- Until when it can be decided; once it is granted, the end of its token.
  expires_at timestamptz not null,
  decided_at timestamptz,
  -- Of a grant: the scoped token, and the session that its access tokens are of.
  agent_id uuid references agents (id),
  token_id uuid,
  token_scopes text[],
  session_id uuid,
  code_hash bytea unique,
  code_expires_at timestamptz,
  -- When the code was redeemed: it is good once.
  redeemed_at timestamptz
);
create index connections_by_end on connections (expires_at);

-- Refresh tokens of apps, by their hash. Each use issues another one.
create table refresh_tokens (
  token_hash bytea primary key,
  connection_id uuid not null references connections (id) on delete cascade,
  -- When it was first used: from then on it is good for a while only.
  used_at timestamptz
);
create index refresh_tokens_of_a_connection on refresh_tokens (connection_id);
