-- Stores what is known of a problem. Served by outbox_notice_pkey.
insert into outbox_notice (problem, subscription, severity, opened_at, seen_at, told_at, told_severity, is_over)
values (?, ?, ?, ?, ?, ?, ?, ?)
on conflict (problem, subscription) do update
   set severity = excluded.severity,
       opened_at = excluded.opened_at,
       seen_at = excluded.seen_at,
       told_at = excluded.told_at,
       told_severity = excluded.told_severity,
       is_over = excluded.is_over
