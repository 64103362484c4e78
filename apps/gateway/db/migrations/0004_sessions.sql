-- What a code was mailed for: only codes of one purpose displace each other. Its hash binds it to its use.
alter table otps add column if not exists purpose text not null default 'login';

-- The sessions that one login and its refreshes open are a family: the id of its first session. Rows of the release before
-- have none of these.
alter table sessions
  add column family_id uuid,
  -- When a mailed code last proved the agent's address.
  add column authenticated_at timestamptz,
  -- The session that a refresh put in this one's place, at revoked_at.
  add column replaced_by uuid,
  -- The first use exactly, later ones to the minute; null before the first.
  add column last_used_at timestamptz,
  -- Where the client was at last_used_at, or when the session was opened: /24 or /48.
  add column network text;
create index if not exists sessions_of_an_agent on sessions (agent_id) where revoked_at is null;
