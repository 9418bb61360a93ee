-- Stores a problem and its last notice. Served by outbox_notice_pkey.
insert into outbox_notice (problem, subscription, severity, opened_at, seen_at, notice_at, notice_severity, is_over)
values (:problem, :subscription, :severity, :openedAt, :seenAt, :noticeAt, :noticeSeverity, :isOver)
on conflict (problem, subscription) do update
   set severity = excluded.severity,
       opened_at = excluded.opened_at,
       seen_at = excluded.seen_at,
       notice_at = excluded.notice_at,
       notice_severity = excluded.notice_severity,
       is_over = excluded.is_over
