-- The last 100 changes by people to one message alone, of each of some subscriptions, and the last 100 steps of changes of many, oldest first. Served by
-- outbox_audit_message and outbox_audit_messages.
select entry.*
  from pg_catalog.unnest(:subscriptions::text[]) named (subscription)
 cross join lateral (select *
                       from outbox_audit
                      where outbox_audit.subscription = named.subscription
                        and message = :id::bigint
                      order by id desc
                      limit 100) entry
union all
(select *
   from outbox_audit
  where messages operator(pg_catalog.@>) :id::bigint
    and subscription = any (:subscriptions::text[])
  order by id desc
  limit 100)
 order by id
