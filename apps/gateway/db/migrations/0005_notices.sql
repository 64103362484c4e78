-- How far this service has read the event stream; used where Postgres carries it.
create table event_positions (
  consumer text primary key,
  position bigint not null
);

-- The network that a financial request came from: /24 or /48. Null for requests of the release before.
alter table idempotency_records add column network text;

-- Owners of agents, as events name them. Policy decides who is one; this says who gets notices.
create table notice_members (
  agent_id uuid not null,
  owner_id uuid not null,
  primary key (agent_id, owner_id)
);

-- Where sessions of an agent were opened from. The first one of an agent is expected.
create table notice_networks (
  agent_id uuid not null,
  network text not null,
  seen_at timestamptz not null,
  primary key (agent_id, network)
);
create index notice_networks_by_time on notice_networks (seen_at);
insert into notice_networks (agent_id, network, seen_at)
  select agent_id, network, max(created_at) from sessions where network is not null group by agent_id, network;

-- Addresses that an agent has paid.
create table notice_recipients (
  agent_id uuid not null,
  address text not null,
  primary key (agent_id, address)
);

-- One row for each event and mailbox that it was noted for: a second delivery of the event finds it.
create table notices (
  event_id uuid not null,
  mailbox text not null,
  kind text not null,
  noted_at timestamptz not null,
  -- Waits for the mailbox's next digest; null once it was mailed, by itself or in a digest.
  digest_text text,
  primary key (event_id, mailbox)
);
create index notices_by_time on notices (noted_at);
create index notices_in_digests on notices (mailbox, noted_at) where digest_text is not null;

-- What a mailbox got by itself within its day, which begins with the first notice.
create table notice_mailboxes (
  mailbox text primary key,
  day_began_at timestamptz not null,
  mailed integer not null default 0,
  urgent integer not null default 0,
  digest_due_at timestamptz
);
create index notice_mailboxes_by_digest on notice_mailboxes (digest_due_at) where digest_due_at is not null;
create index notice_mailboxes_by_day on notice_mailboxes (day_began_at);

-- Mails of notices and digests until the mail server has accepted them.
create table notice_mails (
  id uuid primary key,
  mailbox text not null,
  subject text not null,
  body text not null,
  queued_at timestamptz not null,
  -- Tries so far; also the fencing token of the latest one.
  tries integer not null default 0,
  due_at timestamptz not null
);
create index notice_mails_by_time on notice_mails (due_at);
