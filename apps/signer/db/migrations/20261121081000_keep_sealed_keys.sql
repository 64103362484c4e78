-- The data key that every agent's key is encrypted under, as the vault sealed it. Losing a row loses the keys under it:
-- the reference below keeps it as long as one of them is there.
create table data_keys (
  version int primary key check (version > 0),
  driver text not null,
  sealed bytea not null,
  created_at timestamptz not null default clock_timestamp()
);

-- An agent's Ed25519 seed under AES-256-GCM. The tag also covers agent_id, key_version and public_key, so that what
-- was swapped between rows does not open.
create table keys (
  agent_id uuid primary key,
  key_version int not null references data_keys (version),
  public_key bytea not null unique check (octet_length(public_key) = 32),
  nonce bytea not null check (octet_length(nonce) = 12),
  ciphertext bytea not null check (octet_length(ciphertext) = 32),
  tag bytea not null check (octet_length(tag) = 16),
  created_at timestamptz not null default clock_timestamp()
);
