-- Owners, their passkeys, and what they approve. An owner is a UUID here: mail addresses are the gateway's.

create table passkeys (
  credential_id bytea primary key,
  owner_id uuid not null,
  -- As the authenticator encoded it.
  cose_key bytea not null,
  sign_count bigint not null,
  -- The attestation object of its registration.
  attestation bytea not null,
  added_at timestamptz not null,
  removed_at timestamptz
);
create index passkeys_by_owner on passkeys (owner_id);

create table agent_owners (
  agent_id uuid not null,
  owner_id uuid not null,
  role text not null,
  since timestamptz not null,
  removed_at timestamptz,
  primary key (agent_id, owner_id)
);
create index agent_owners_by_owner on agent_owners (owner_id);

create type approval_kind as enum
  ('claim', 'policy', 'passkey', 'unfreeze', 'operation', 'objection', 'recovery', 'member', 'token');
-- approved: signed, and not used yet; of a claim or a recovery: in effect from effective_at. used: its operation has a
-- reservation. void: refused by policy, and of no use any more.
create type approval_state as enum
  ('pending', 'applied', 'rejected', 'withdrawn', 'expired', 'superseded', 'approved', 'used', 'void');

-- A pending row whose expires_at has passed counts as expired: the sweeper comes later.
create table approvals (
  id uuid primary key,
  kind approval_kind not null,
  -- Null for what concerns an owner alone.
  agent_id uuid,
  owner_id uuid not null,
  -- What is signed, byte by byte; its hash is the challenge of every vote.
  document bytea not null, document_hash bytea not null unique,
  -- How many documents it has had: an owner chooses what a signature says of later payments.
  documents integer not null default 1,
  threshold integer not null,
  state approval_state not null default 'pending',
  asked_at timestamptz not null, expires_at timestamptz not null, decided_at timestamptz,
  -- When a signed claim or a confirmed recovery takes effect; null where that is at once.
  effective_at timestamptz,
  operation_id uuid,
  -- Of an operation's approval, and of one by which an owner joins, while it is pending or approved: its expires_at.
  open_until timestamptz,
  -- What the authenticator sent about the passkey that is to be added, base64url.
  registration jsonb,
  -- The scoped token that asked for it; null for what the agent's own sessions and owners ask for.
  token_id uuid,
  -- The owner who is to join the agent, and signs after one of its owners.
  joiner_id uuid
);
create index approvals_by_joiner on approvals (joiner_id) where joiner_id is not null;
create index approvals_by_agent on approvals (agent_id, asked_at desc, id desc);
create index approvals_by_owner on approvals (owner_id, asked_at desc, id desc);
create index approvals_pending on approvals (expires_at) where state = 'pending';
create unique index approvals_by_operation on approvals (operation_id) where operation_id is not null;
create index approvals_by_effect on approvals (effective_at) where state = 'approved' and effective_at is not null;
create index approvals_open on approvals (open_until) where open_until is not null;
create index approvals_without_effect on approvals (decided_at)
  where state in ('rejected', 'withdrawn', 'expired', 'void', 'superseded');

create table votes (
  approval_id uuid not null references approvals,
  owner_id uuid not null, credential_id bytea not null,
  client_data bytea not null,
  authenticator_data bytea not null,
  signature bytea not null,
  at timestamptz not null,
  primary key (approval_id, owner_id)
);

create type challenge_purpose as enum ('passkey', 'login');

create table challenges (
  challenge bytea primary key,
  purpose challenge_purpose not null,
  -- Null for a login, which shows whose it is by its passkey.
  owner_id uuid,
  expires_at timestamptz not null
);
create index challenges_by_owner on challenges (owner_id) where owner_id is not null;
create index challenges_by_time on challenges (expires_at);

-- An open login has no row: policy knows its own documents by a code made with this key, which all replicas share.
create table login_key (
  only_row boolean primary key default true check (only_row),
  key bytea not null
);

-- Documents that a passkey has logged in with, until they have expired, so that each does so once.
create table used_logins (
  document_hash bytea primary key,
  expires_at timestamptz not null
);
create index used_logins_by_time on used_logins (expires_at);

-- To whom an agent has paid, and whom an owner trusts by a signature: see is_new_recipient.
create table recipients (
  agent_id uuid not null,
  address text not null,
  -- Landing of the first payment that counts: one that needed no approval, and was permitted after known_since.
  first_settled_at timestamptz,
  -- When an owner's signature put it into allowed_recipients.
  trusted_at timestamptz,
  -- What the last signed approval of a payment to it says of later ones, beyond `once`, and when it was used.
  trust text check (trust in ('daily_amount', 'always')),
  signed_at timestamptz,
  -- Of `daily_amount`: the most base units of this mint, `native` for SOL, in any 24 hours.
  trusted_mint text, trusted_amount numeric,
  -- An owner has forgotten it: no payment that was permitted before makes it known again.
  forgotten_at timestamptz,
  primary key (agent_id, address)
);

-- Up to which id an eviction of all of an agent's sessions has voided its operations. An id begins with its time.
create table evictions (
  agent_id uuid primary key,
  operations_before uuid not null
);

-- Scoped tokens: each lets its holder do a part of what its agent may, within limits of its own. Every decision about them is
-- made under the lock of the agent's policy; see token_verdict.
create table tokens (
  id uuid primary key,
  agent_id uuid not null,
  name text not null,
  -- Of read, transfer, trade, predict, liquidity and propose.
  scopes text[] not null,
  -- Addresses that payments may go to; null: all that the policy allows.
  recipients text[],
  -- In micro-dollars; null: the policy's own. In 24 hours, and as long as the token lives.
  max_single_usd_micros bigint, daily_usd_micros bigint, total_usd_micros bigint,
  -- What is open; what was settled after settled_since, which moves like that of a policy; and both since it was opened. The
  -- trigger of reservations keeps them, so that a decision reads no past operations.
  reserved_usd_micros numeric not null default 0,
  settled_usd_micros numeric not null default 0,
  settled_since timestamptz not null default '-infinity',
  used_usd_micros numeric not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index tokens_live on tokens (agent_id, created_at) where ended_at is null;

-- The token that an operation belongs to, noted before the operation may begin. An operation without a row belongs to the
-- agent's own sessions.
create table token_operations (
  operation_id uuid primary key,
  token_id uuid not null references tokens
);
create index token_operations_by_token on token_operations (token_id);
