-- One page of the dead letters of a subscription in order of id, and which of them match. In this order the messages of a key are retried
-- in their order. The page is limited before the filters apply. Served by outbox_dead_letter_pkey.
-- Parameters: subscription, after id, ids (twice; null for all), rows; since, until, types, key (type, id), error, group.
with page as materialized (
    select id, last_failed_at, type, aggregate_type, aggregate_id, error_class, error_text, answer, error_group
      from outbox_dead_letter
     where subscription = ?
       and id > ?::bigint
       and (?::bigint[] is null or id = any (?::bigint[]))
     order by id
     limit ?
),
matching as (
    select page.id, (extract(epoch from page.last_failed_at) * 1000000.0)::bigint as micros
      from page
     cross join (values (?::timestamptz, ?::timestamptz, ?::text[], ?::text, ?::text, ?::text, ?::bigint))
                    filter (since, until, types, key_type, key_id, error, error_group)
     where page.last_failed_at >= filter.since
       and page.last_failed_at < filter.until
       and page.type like any (filter.types)
       and (filter.key_id is null or (page.aggregate_type = filter.key_type and page.aggregate_id = filter.key_id))
       and (filter.error_group is null or page.error_group = filter.error_group)
       and (filter.error is null
            or strpos(pg_catalog.lower(page.error_class), pg_catalog.lower(filter.error)) > 0
            or strpos(pg_catalog.lower(page.error_text), pg_catalog.lower(filter.error)) > 0
            or strpos(pg_catalog.lower(page.answer), pg_catalog.lower(filter.error)) > 0)
)
select (select coalesce(pg_catalog.array_agg(id order by id), '{}') from matching) as ids,
       (select coalesce(pg_catalog.array_agg(micros order by id), '{}') from matching) as micros,
       (select max(id) from page) as last_id,
       (select count(*) from page) as examined
