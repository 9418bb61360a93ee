-- The problems that were found recently: at most one row per kind of problem and subscription. Served by outbox_notice_pkey.
select problem, subscription, severity, opened_at, seen_at, notice_at, notice_severity, is_over
  from outbox_notice
 order by problem, subscription
