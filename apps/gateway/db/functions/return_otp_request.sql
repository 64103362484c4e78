-- Takes a request back that led to no mail. window_end is that of the window in which it was counted.
create or replace function return_otp_request(
  mail text, code_purpose text, mailbox_name text, asker_client text, window_end timestamptz, mailbox_allowance integer
) returns void language sql as $$
  update login_blocks set requested = greatest(requested - 1, 0)
    where email = mail and purpose = code_purpose and client = asker_client and window_resets_at = window_end;
  -- The window of a network that has logged in is its own, and not this one.
  update login_pools set taken = greatest(taken - 1, 0)
    where email = mail and purpose = code_purpose and resets_at = window_end;
  -- Refused requests were counted as well, and are not part of the allowance.
  update rate_windows set taken = greatest(least(taken, mailbox_allowance) - 1, 0)
    where mail <> mailbox_name and key = 'mailbox:' || code_purpose || ':' || mailbox_name;
$$;
