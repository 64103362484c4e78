create trigger token_sums_of_new after insert on reservations for each row when (new.token_id is not null)
  execute function keep_token_sums();

create trigger token_sums after update of value_usd_micros, state on reservations for each row
  when (new.token_id is not null) execute function keep_token_sums();
