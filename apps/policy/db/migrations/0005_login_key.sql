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
