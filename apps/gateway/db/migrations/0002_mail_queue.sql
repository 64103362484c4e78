-- Codes that the mail server has not accepted yet. A row holds no code: each try mails a fresh one.
create table mail_queue (
  otp_id uuid primary key references otps (otp_id) on delete cascade,
  -- What the code is mailed for (CodeUse): its hash and the text of the mail depend on it.
  use jsonb not null,
  -- Tries since the row was added; also the fencing token of the latest one.
  tries integer not null default 0,
  due_at timestamptz not null
);
create index mail_queue_by_time on mail_queue (due_at);
