-- Data keys: every agent's key is encrypted under one of them. Losing a row loses the keys under it: the references below
-- keep it as long as one of them is there.
create table data_keys (
  version int primary key check (version > 0),
  created_at timestamptz not null default clock_timestamp()
);

-- A data key may be sealed more than once: by the vault of today, by that of another machine, to a recovery key. Each seal
-- says which vault opens it.
create table data_key_seals (
  version int not null references data_keys (version) on delete cascade,
  vault_driver text not null,
  vault_id text not null,
  sealed bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (version, vault_driver, vault_id)
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

-- How many keys are under a data key, and which ones are not under the newest.
create index keys_by_version on keys (key_version, agent_id);

-- Signers that are up, and which data keys each has open. A row that is not renewed is a signer that is gone.
create table replicas (
  ephemeral_key bytea primary key check (octet_length(ephemeral_key) = 32),
  vault_driver text not null,
  vault_id text not null,
  versions int[] not null,
  seen_at timestamptz not null
);

-- Every life of a signer. Its key is in no database: what it countersigned is traced to what guarded the keys then, by
-- evidence that was taken at its start. A row is never changed or removed.
create table boots (
  ephemeral_key bytea primary key check (octet_length(ephemeral_key) = 32),
  driver text not null,
  -- What the boot said; the evidence is bound to its SHA-256.
  statement bytea not null,
  format text not null,
  key_id text not null,
  evidence bytea not null,
  build_digest bytea not null check (octet_length(build_digest) = 32),
  started_at_ms bigint not null
);
