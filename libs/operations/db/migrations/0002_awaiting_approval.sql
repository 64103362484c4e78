-- awaiting_approval: an owner was asked, and nothing is reserved. due_at is then when the approval is asked about next, or
-- the end of the lease of who continues. The old check is replaced by one that says the same of all that is written.
alter table operations drop constraint operations_state_check;
alter table operations add constraint operations_state_check check (state in
  ('pending', 'awaiting_approval', 'submitted', 'confirmed', 'failed', 'expired', 'rejected')) not valid;

-- The approval that was asked for last: its id, until when it can be used, and why it is needed. Null when none was.
alter table operations add column approval jsonb;
