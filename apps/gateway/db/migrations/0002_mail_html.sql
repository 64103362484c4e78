-- A notice's HTML beside its text. The release before queues none.
alter table notice_mails add column html text;
