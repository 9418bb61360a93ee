-- The outcomes of retried dead letters: those that wait for their first attempt, the number that failed again, the number that a person
-- discarded meanwhile, and one of the errors. Those in no table are delivered. One statement, because a relay can move a message between the
-- tables at any moment. Served by outbox_retry_pkey, outbox_dead_letter_pkey and outbox_audit_message.
-- Parameters: ids; subscription, start.
select coalesce(pg_catalog.array_agg(message.id) filter (where waiting.attempts = 0 and dead.id is null), '{}') as waiting,
       count(*) filter (where waiting.attempts > 0 or dead.id is not null) as failed,
       count(*) filter (where waiting.id is null and dead.id is null and gone.discarded) as discarded,
       max(coalesce(dead.error_class || ': ' || left(dead.error_text, 200), waiting.error_class || ': ' || left(waiting.error_text, 200)))
           filter (where waiting.attempts > 0 or dead.id is not null) as error
  from pg_catalog.unnest(?::bigint[]) message (id)
 cross join (values (?::text, ?::timestamptz)) given (subscription, started_at)
  left join lateral (select id, attempts, error_class, error_text
                       from outbox_retry
                      where outbox_retry.subscription = given.subscription
                        and outbox_retry.id = message.id
                      limit 1) waiting on true
  left join lateral (select id, error_class, error_text
                       from outbox_dead_letter
                      where outbox_dead_letter.subscription = given.subscription
                        and outbox_dead_letter.id = message.id
                      limit 1) dead on true
  left join lateral (select true as discarded
                       from outbox_audit
                      where outbox_audit.subscription = given.subscription
                        and outbox_audit.message = message.id
                        and outbox_audit.action = 'discard'
                        and outbox_audit.at >= given.started_at
                      limit 1) gone on true
