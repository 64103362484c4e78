-- Which boot of the signer gave the signatures, and under which permit, so that each can be traced to what guarded the keys.
-- Columns without defaults: nothing is rewritten, and what was signed before has none.

alter table attempts
  -- The permit that it was signed under, and what the signer's boot said of the signatures: see libs/attestation.
  add column permit_id uuid,
  add column ephemeral_key bytea check (octet_length(ephemeral_key) = 32),
  add column countersignature bytea check (octet_length(countersignature) = 64);
