-- A data key may be sealed more than once: by the vault of today, by that of another machine, to a recovery key. Each seal
-- says which vault opens it; the id is empty where it was sealed before ids were kept.
create table data_key_seals (
  version int not null references data_keys (version) on delete cascade,
  vault_driver text not null,
  vault_id text not null,
  sealed bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (version, vault_driver, vault_id)
);

insert into data_key_seals (version, vault_driver, vault_id, sealed, created_at)
select version, driver, '', sealed, created_at from data_keys;

-- Replicas of the release before read these two columns when they start, until all are replaced. Nobody writes them.
alter table data_keys alter column driver drop not null, alter column sealed drop not null;

-- How many keys are under a data key, and which ones are not under the newest.
create index keys_by_version on keys (key_version, agent_id);

-- Signers that are up, and which data keys each has open. A row that is not renewed is nobody.
create table replicas (
  ephemeral_key bytea primary key check (octet_length(ephemeral_key) = 32),
  vault_driver text not null,
  vault_id text not null,
  versions int[] not null,
  seen_at timestamptz not null
);
