-- The outcomes of retried dead letters: those that wait for their first attempt, the number that failed again, the number that a person
-- discarded meanwhile, and one of the errors. Those in no table are delivered. One statement, because a relay can move a message between the
-- tables at any moment. Each table is read once for all ids, not once for each. Served by outbox_retry_pkey, outbox_dead_letter_pkey,
-- outbox_audit_message and outbox_audit_messages.
with given (ids, subscription, started_at) as materialized (
    values (:ids::bigint[], :subscription::text, :startedAt::timestamptz)
),
dead as materialized (
    select coalesce(pg_catalog.range_agg(int8range(id, id + 1)), '{}') as ids,
           count(*) as messages,
           max(error_class || ': ' || left(error_text, 200)) as error
      from given
     cross join lateral (select id, error_class, error_text
                           from outbox_dead_letter
                          where outbox_dead_letter.subscription = given.subscription
                            and id = any (given.ids)) part
),
waiting as materialized (
    select coalesce(pg_catalog.range_agg(int8range(id, id + 1)), '{}') as ids,
           coalesce(pg_catalog.array_agg(id) filter (where attempts = 0 and not dead.ids operator(pg_catalog.@>) id), '{}') as untried,
           count(*) filter (where attempts > 0 and not dead.ids operator(pg_catalog.@>) id) as failed,
           max(error_class || ': ' || left(error_text, 200)) filter (where attempts > 0) as error
      from given
     cross join dead
     cross join lateral (select id, attempts, error_class, error_text
                           from outbox_retry
                          where outbox_retry.subscription = given.subscription
                            and id = any (given.ids)) part
),
discarded as materialized (
    select coalesce(pg_catalog.range_agg(part.ids), '{}') as ids
      from given
     cross join lateral (select int8range(message, message + 1) as ids
                           from outbox_audit
                          where outbox_audit.subscription = given.subscription
                            and message = any (given.ids)
                            and action = 'discard'
                            and at >= given.started_at
                         union all
                         select pg_catalog.unnest(messages)
                           from outbox_audit
                          where messages operator(pg_catalog.&&) (select int8multirange(int8range(min(id), max(id) + 1)) from pg_catalog.unnest(given.ids) id)
                            and outbox_audit.subscription = given.subscription
                            and action = 'discard'
                            and at >= given.started_at) part
)
select waiting.untried as waiting,
       dead.messages + waiting.failed as failed,
       (select count(*)
          from pg_catalog.unnest(given.ids) id
         where discarded.ids operator(pg_catalog.@>) id
           and not waiting.ids operator(pg_catalog.@>) id
           and not dead.ids operator(pg_catalog.@>) id) as discarded,
       coalesce(dead.error, waiting.error) as error
  from given
 cross join dead
 cross join waiting
 cross join discarded
