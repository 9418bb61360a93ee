-- The subscriptions with waiting messages or dead letters whose ids the sequence of the outbox has not assigned: it was restored without its
-- sequence. A new message that gets such an id and fails would be taken for the old one, and lost. Relays and people write these tables, and
-- only with assigned ids, so no application can prevent a start by this. Reads one row per subscription of outbox_retry_pkey and
-- outbox_dead_letter_pkey. The sequence is read after the snapshot of the messages.
with recursive waiting (subscription) as (
    (select subscription from outbox_retry order by subscription limit 1)
    union all
    select (select subscription from outbox_retry next where next.subscription > waiting.subscription order by next.subscription limit 1)
      from waiting
     where waiting.subscription is not null
),
dead (subscription) as (
    (select subscription from outbox_dead_letter order by subscription limit 1)
    union all
    select (select subscription from outbox_dead_letter next where next.subscription > dead.subscription order by next.subscription limit 1)
      from dead
     where dead.subscription is not null
),
highest (subscription, id) as (
    select subscription,
           greatest((select max(id) from outbox_retry where outbox_retry.subscription = each.subscription),
                    (select max(id) from outbox_dead_letter where outbox_dead_letter.subscription = each.subscription))
      from (select subscription from waiting union select subscription from dead) each
     where subscription is not null
)
select sequence_name as about,
       'Subscription ' || subscription || ' has waiting messages or dead letters with ids up to ' || id::text || ' but sequence ' || sequence_name
           || ' is at ' || coalesce(last_id, 0::bigint)::text
           || ' (restored without its sequence?): a new message with the same id would be mistaken for the old one, and lost.'
           || ' Run: select setval(''' || sequence_name || ''', ' || id::text || ')' as text
  from highest
 cross join (
\ir outbox_sequence.sql
 ) target
 where id > coalesce(last_id, 0::bigint) and readable
 order by id desc, subscription
