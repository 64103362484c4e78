-- Owners, their passkeys, and what they approve. An owner is a UUID here: mail addresses are the gateway's.

-- `version` rises with each change of a policy's fields. An agent with claimed_at has an owner, whose signature a loosening
-- change needs from then on.
alter table policies add column version bigint not null default 1;
alter table policies add column approval_lifetime_hours integer not null default 24;
alter table policies add column claimed_at timestamptz;

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

create type approval_kind as enum ('claim', 'policy', 'passkey');
create type approval_state as enum ('pending', 'applied', 'rejected', 'withdrawn', 'expired', 'superseded');

-- A row whose expires_at has passed counts as expired although its state is still pending: the sweeper comes later.
create table approvals (
  id uuid primary key,
  kind approval_kind not null,
  -- Null for what concerns an owner alone.
  agent_id uuid,
  owner_id uuid not null,
  -- What is signed, byte by byte; its hash is the challenge of every vote.
  document bytea not null,
  document_hash bytea not null unique,
  threshold integer not null,
  state approval_state not null default 'pending',
  asked_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  -- What the authenticator sent about the passkey that is to be added, base64url.
  registration jsonb
);
create index approvals_by_agent on approvals (agent_id, asked_at desc, id desc);
create index approvals_by_owner on approvals (owner_id, asked_at desc, id desc);
create index approvals_pending on approvals (expires_at) where state = 'pending';

create table votes (
  approval_id uuid not null references approvals,
  owner_id uuid not null,
  credential_id bytea not null,
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
