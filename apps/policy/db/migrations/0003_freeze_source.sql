-- Whose freeze it is. An operator's and an owner's are apart: lifting one leaves the other. Old code writes operators' only.
alter table freezes add column source text not null default 'operator';
create unique index if not exists freezes_by_source on freezes (agent_id, source);
alter table freezes drop constraint freezes_pkey;

alter type approval_kind add value 'unfreeze';
