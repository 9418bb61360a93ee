-- The number of messages of one page of the outbox that a replay would take, and the last id examined (null at the end).
-- Served by outbox_pkey, outbox_retry_pkey, outbox_dead_letter_pkey and outbox_discarded_pkey.
-- Parameters: after id, up to id, ids to look at; subscription; types of the subscription, types wanted, key (type, type, id),
-- since, until; messages of a page, twice.
\ir replayed_messages.sql
select (select count(*) from chosen) as messages,
       case when (select count(*) from chosen) < ? then (select max(id) from candidate) else (select max(id) from chosen) end as last_id
