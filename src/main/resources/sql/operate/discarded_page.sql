-- One page of the discarded dead letters of a subscription, newest first, and which of them match. The page is limited before the filters
-- apply, so that a filter with few matches cannot make the statement slow. Served by outbox_discarded_time.
select page.id as page_id,
       page.discarded_at as page_time,
       matching.*
  from (select *
          from outbox_discarded
         where subscription = :subscription
           and (discarded_at, id) < (:time::timestamptz, :id::bigint)
           and discarded_at >= :since::timestamptz
         order by discarded_at desc, id desc
         limit :rows) page
  left join lateral (select page.subscription,
                            page.id,
                            page.message_id,
                            page.aggregate_type,
                            page.aggregate_id,
                            page.type,
                            page.attempts,
                            page.first_failed_at,
                            page.last_failed_at,
                            page.error_class,
                            left(page.error_text, 300) as error_text,
                            left(page.answer, 300) as answer,
                            page.step,
                            page.edited,
                            page.error_group,
                            page.discard,
                            page.discarded_at,
                            page.who,
                            page.reason
                      from (values (:types::text[], :keyType::text, :keyId::text, :error::text, :group::bigint, :discard::uuid))
                               filter (types, key_type, key_id, error, error_group, discard)
                      where (filter.discard is null or page.discard = filter.discard)
                        and (filter.error_group is null or page.error_group = filter.error_group)
                        and (filter.key_id is null or (page.aggregate_type = filter.key_type and page.aggregate_id = filter.key_id))
                        and page.type like any (filter.types)
                        and (filter.error is null
                             or strpos(pg_catalog.lower(page.error_class), pg_catalog.lower(filter.error)) > 0
                             or strpos(pg_catalog.lower(page.error_text), pg_catalog.lower(filter.error)) > 0
                             or strpos(pg_catalog.lower(page.answer), pg_catalog.lower(filter.error)) > 0)) matching on true
 order by page.discarded_at desc, page.id desc
