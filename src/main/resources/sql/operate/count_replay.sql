-- The number of messages of one page of the outbox that a replay would take, how many of them a person has edited (their original content
-- is in the audit), and the last id examined (null at the end).
-- Served by outbox_pkey, outbox_retry_pkey, outbox_dead_letter_pkey, outbox_discarded_pkey and outbox_audit_message.
\ir replayed_messages.sql
select (select count(*) from chosen) as messages,
       (select count(*)
          from chosen
         cross join subscription
         where subscription.lane = chosen.lane
           and (select true
                  from outbox_audit
                 where outbox_audit.subscription = subscription.name
                   and outbox_audit.message = chosen.id
                   and action = 'retry'
                   and detail -> 'original'::text is not null
                 limit 1)) as edited,
       case when (select count(*) from chosen) < :wanted::bigint then (select max(id) from candidate) else (select max(id) from chosen) end as last_id
