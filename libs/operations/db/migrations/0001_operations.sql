-- One row for each operation, made before anything is done for it and never removed.
create table operations (
  id uuid primary key,
  agent_id uuid not null,
  action text not null,
  -- What was asked for: a repeat must ask for the same.
  request jsonb not null,
  request_id text not null,
  -- awaiting_approval: an owner was asked, and nothing is reserved. due_at is then when the approval is asked about next, or
  -- the end of the lease of who continues.
  state text not null default 'pending' check (state in
    ('pending', 'awaiting_approval', 'submitted', 'confirmed', 'failed', 'expired', 'rejected')),
  -- Counts the changes that were sent to history.
  revision integer not null default 0,
  -- What the request was resolved to; null before that.
  plan jsonb,
  -- The error that the caller is answered, for good.
  error jsonb,
  created_at_ms bigint not null,
  -- When the present outcome was found.
  decided_at timestamptz,
  -- Rises with every change of hands: a write under an older fence is refused.
  fence bigint not null default 1,
  owner uuid not null,
  -- From when on anyone may take the row: the end of the lease, or the next visit. Null when nothing is left to do.
  due_at timestamptz,
  -- Whether the version that took it last could not read its plan: it is tried again slowly. See src/handlers/json-codec.ts.
  is_unreadable boolean not null default false,
  -- The approval that was asked for last: its id, until when it can be used, and why it is needed. Null when none was.
  approval jsonb
);

create index operations_due on operations (due_at) where due_at is not null;

-- Every message that was ever built for an operation. A row is stored before a permit is asked for, and its message is
-- never replaced: another message is another attempt.
create table attempts (
  operation_id uuid not null references operations (id),
  step smallint not null check (step > 0),
  attempt smallint not null check (attempt > 0),
  state text not null default 'built' check (state in ('built', 'submitted', 'landed', 'failed', 'expired', 'abandoned')),
  intent bytea not null,
  message bytea not null,
  -- Unique: two operations with the same bytes would share one signature, and so one effect.
  message_hash bytea not null unique,
  -- The 32-byte addresses that lookup tables bring into the message, one after the other.
  resolved_addresses bytea not null default '',
  last_valid_block_height bigint not null,
  network_fee_lamports bigint not null,
  -- A slot that had passed when the message was built; only of a message that another party signs too.
  since_slot bigint,
  -- The first signature, which names the transaction. That of another party is not known before it is found on chain.
  signature bytea,
  -- The signed bytes, as they are sent; zeros where another party will sign.
  transaction bytea,
  -- The permit that it was signed under, and what the signer's boot said of the signatures: see libs/attestation.
  permit_id uuid,
  ephemeral_key bytea check (octet_length(ephemeral_key) = 32),
  countersignature bytea check (octet_length(countersignature) = 64),
  slot bigint,
  -- The chain's own error, as JSON text.
  chain_error text,
  -- Whether nothing can change this outcome any more.
  finalized boolean not null default false,
  -- Whether policy has settled or released what was reserved.
  settled boolean not null default false,
  primary key (operation_id, step, attempt),
  check (signature is null or transaction is not null)
);
