-- What an owner approves before an operation may spend: payments above an amount, and payments to new recipients.

-- allow, approve or deny: payments to recipients that are not known.
alter table policies add column new_recipients text not null default 'allow';
-- How long a payment must have been settled before its recipient is known.
alter table policies add column new_recipient_cool_down_hours integer not null default 0;
-- Null: no amount needs an approval.
alter table policies add column approve_above_usd_micros bigint;

-- To whom an agent has paid, and whom an owner has listed by a signature. A recipient is known once the cool-down has
-- passed since first_settled_at, or at once with trusted_at. What was paid before this table is not in it.
create table recipients (
  agent_id uuid not null,
  address text not null,
  first_settled_at timestamptz,
  trusted_at timestamptz,
  primary key (agent_id, address)
);

alter type approval_kind add value 'operation';
-- approved: signed, and not used yet. used: its operation has a reservation. void: refused by policy, and of no use any more.
alter type approval_state add value 'approved';
alter type approval_state add value 'used';
alter type approval_state add value 'void';

alter table approvals add column operation_id uuid;
-- Of an operation's approval while it is pending or approved: its expires_at.
alter table approvals add column open_until timestamptz;
create unique index if not exists approvals_by_operation on approvals (operation_id) where operation_id is not null;
create index if not exists approvals_open on approvals (open_until) where open_until is not null;

-- The approval that a reservation was granted with.
alter table reservations add column approval_id uuid;
