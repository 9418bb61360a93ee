-- The end of each waiting_page: which messages of a page match, without payload and headers.
  left join lateral (select page.subscription,
                            page.lane,
                            page.id,
                            page.message_id,
                            page.aggregate_type,
                            page.aggregate_id,
                            page.type,
                            page.attempts,
                            page.next_attempt_at,
                            page.first_failed_at,
                            page.last_failed_at,
                            page.error_class,
                            left(page.error_text, 300) as error_text,
                            left(page.answer, 300) as answer,
                            page.edited
                      from (values (:blocked::boolean, :types::text[], :error::text, :failingSince::timestamptz)) filter (blocked, types, error, failing_since)
                      where page.blocked = filter.blocked
                        and page.type like any (filter.types)
                        and (filter.error is null
                             or strpos(pg_catalog.lower(page.error_class), pg_catalog.lower(filter.error)) > 0
                             or strpos(pg_catalog.lower(page.error_text), pg_catalog.lower(filter.error)) > 0
                             or strpos(pg_catalog.lower(page.answer), pg_catalog.lower(filter.error)) > 0)
                        and (filter.failing_since is null or page.first_failed_at <= filter.failing_since)) matching on true
