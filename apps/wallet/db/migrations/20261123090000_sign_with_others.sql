-- What the machinery of operations needs for messages with lookup tables, and for those that somebody else signs too.
-- Columns with constant defaults: nothing is rewritten.

alter table attempts
  -- The 32-byte addresses that lookup tables bring into the message, one after the other.
  add column resolved_addresses bytea not null default '',
  -- A slot that had passed when the message was built; only of a message that somebody else signs too.
  add column since_slot bigint,
  -- The first signature names the transaction. Somebody else's is not known before it is found on chain.
  drop constraint attempts_check,
  add constraint attempts_check check (signature is null or transaction is not null);
