-- Changes by people to one message of some subscriptions, oldest first: to it alone, and steps of changes of many. Served by
-- outbox_audit_message and outbox_audit_messages.
select entry.*
  from pg_catalog.unnest(:subscriptions::text[]) named (subscription)
 cross join lateral (select *
                       from outbox_audit
                      where outbox_audit.subscription = named.subscription
                        and message = :id::bigint
                      order by id
                      limit 100) entry
union all
(select *
   from outbox_audit
  where messages operator(pg_catalog.@>) :id::bigint
    and subscription = any (:subscriptions::text[])
  order by id
  limit 100)
 order by id
