-- The end of each job_page: one page in order of id, limited before the filters apply, and which of its messages match.
     where subscription = :subscription
       and id > :after::bigint
       and (:ids::bigint[] is null or id = any (:ids::bigint[]))
     order by id
     limit :rows
)
, matching as (
    select page.id, (extract(epoch from page.version) * 1000000.0)::bigint as micros
      from page
     where page.at >= :since::timestamptz
       and page.at < :until::timestamptz
       and page.type like any (:types::text[])
       and (:keyId::text is null or (page.aggregate_type = :keyType and page.aggregate_id = :keyId))
       and (:error::text is null
            or strpos(pg_catalog.lower(page.error_class), pg_catalog.lower(:error::text)) > 0
            or strpos(pg_catalog.lower(page.error_text), pg_catalog.lower(:error::text)) > 0
            or strpos(pg_catalog.lower(page.answer), pg_catalog.lower(:error::text)) > 0)
       and page.matches
)
select (select coalesce(pg_catalog.array_agg(id order by id), '{}') from matching) as ids,
       (select coalesce(pg_catalog.array_agg(micros order by id), '{}') from matching) as micros,
       (select max(id) from page) as last_id,
       (select count(*) from page) as examined
