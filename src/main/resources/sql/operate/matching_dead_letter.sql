-- The end of each dead_letter_page: which dead letters of a page match, without payload and headers.
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
                            page.error_group
                      from (values (:types::text[], :error::text, :group::bigint, :since::timestamptz, :until::timestamptz))
                               filter (types, error, error_group, since, until)
                      where (filter.error_group is null or page.error_group = filter.error_group)
                        and page.last_failed_at >= filter.since
                        and page.last_failed_at < filter.until
                        and page.type like any (filter.types)
                        and (filter.error is null
                             or strpos(pg_catalog.lower(page.error_class), pg_catalog.lower(filter.error)) > 0
                             or strpos(pg_catalog.lower(page.error_text), pg_catalog.lower(filter.error)) > 0
                             or strpos(pg_catalog.lower(page.answer), pg_catalog.lower(filter.error)) > 0)) matching on true
