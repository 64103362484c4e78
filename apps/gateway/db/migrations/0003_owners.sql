-- People above agents, by their e-mail address. Policy knows an owner by this id alone, and keeps passkeys and claims.
create table owners (
  id uuid primary key,
  email text not null unique,
  created_at timestamptz not null
);

-- Sessions of owners' browsers. The token itself is in the browser's cookie alone.
create table owner_sessions (
  token_hash bytea primary key,
  owner_id uuid not null references owners (id),
  authenticated_by text not null check (authenticated_by in ('mail', 'passkey')),
  authenticated_at timestamptz not null,
  -- When a mailed code last proved the owner's address; null without one.
  mail_proven_at timestamptz,
  used_at timestamptz not null
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
