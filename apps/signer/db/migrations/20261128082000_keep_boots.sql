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
