-- The number of new dead letters of each subscription since a time, up to a bound. Served by outbox_dead_letter_time.
select named.subscription, recent.messages, recent.since
  from pg_catalog.unnest(:subscriptions::text[]) named (subscription)
 cross join lateral (select count(*) as messages, min(part.last_failed_at) as since
                       from (select last_failed_at
                               from outbox_dead_letter
                              where outbox_dead_letter.subscription = named.subscription
                                and last_failed_at >= :since::timestamptz
                              order by last_failed_at
                              limit :limit) part) recent
 where recent.messages > 0
