-- Surveys the side tables for several lanes. Returns for each lane with messages there: its number in the arrays, whether a message of
-- outbox_retry is due, and with order=strict the lowest id. A message is in outbox_retry, or in outbox_dead_letter if dead letters block.
-- One statement for all lanes of a relay, from one snapshot, because people move messages between the two tables at any moment. While
-- the tables are empty, no lane is looked up. Otherwise reads for each lane one entry of outbox_retry_key and of outbox_dead_letter_key,
-- then one of outbox_retry_due (now() and not clock_timestamp(), which would read all waiting messages) and of both primary keys, however
-- many messages wait: without the order, a plan by the primary key would read all of them.
select asked.number,
       (select true
        from outbox_retry
        where outbox_retry.subscription = asked.subscription
          and outbox_retry.lane = asked.lane
          and not blocked
          and next_attempt_at <= now()
        order by next_attempt_at
        limit 1) is not null as is_due,
       case when asked.strict then least(
           (select id from outbox_retry where outbox_retry.subscription = asked.subscription order by id limit 1),
           (select id from outbox_dead_letter where outbox_dead_letter.subscription = asked.subscription order by id limit 1)) end as lowest
from unnest(:subscriptions::text[], :lanes::integer[], :dead_letters_block::boolean[], :strict::boolean[])
     with ordinality as asked (subscription, lane, dead_letters_block, strict, number)
where ((select true from outbox_retry order by subscription, lane, key_hash, id limit 1) is not null
       and (select true
            from outbox_retry
            where outbox_retry.subscription = asked.subscription
              and outbox_retry.lane = asked.lane
            order by key_hash
            limit 1) is not null)
   or (asked.dead_letters_block
       and (select true from outbox_dead_letter order by subscription, id limit 1) is not null
       and (select true
            from outbox_dead_letter
            where outbox_dead_letter.subscription = asked.subscription
              and outbox_dead_letter.lane = asked.lane
            order by outbox_key_hash(aggregate_type, aggregate_id)
            limit 1) is not null)
