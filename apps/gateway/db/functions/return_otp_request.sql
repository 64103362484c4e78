-- Takes a request back that led to no mail. charged is the allowance that it was counted in, window_end the end of its window.
create or replace function return_otp_request(
  mail text, code_purpose text, named_owner text, mailbox_name text, asker_client text, asker_network text, charged text,
  window_end timestamptz, mailbox_allowance integer
) returns void language sql as $$
  update login_blocks set requested = greatest(requested - 1, 0)
    where email = mail and purpose = code_purpose and client = asker_client;
  update login_pools set
    taken = case when charged <> 'long' and resets_at = window_end then greatest(taken - 1, 0) else taken end,
    asked_at = null
    where email = mail and purpose = code_purpose
      and owner = case charged when 'known' then '' else named_owner end
      and network = case charged when 'known' then asker_network else '' end;
  -- Refused requests were counted as well, and are not part of the allowance.
  update rate_windows set taken = greatest(least(taken, mailbox_allowance) - 1, 0)
    where charged = 'known' and key = 'known:' || code_purpose || ':' || mailbox_name
      or charged = 'shared' and (mail <> mailbox_name or named_owner <> '')
        and key = 'mailbox:' || code_purpose || ':' || mailbox_name;
  update rate_windows set taken = greatest(least(taken, 120) - 1, 0)
    where charged = 'long' and (mail <> mailbox_name or named_owner <> '')
      and key = 'long:' || code_purpose || ':' || mailbox_name;
  delete from rate_windows
    where charged = 'long' and key = 'long:' || code_purpose || ':' || mailbox_name || ':' || asker_network;
$$;
