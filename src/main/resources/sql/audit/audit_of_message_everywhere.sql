-- Changes by people to one message in some subscriptions, oldest first. Served by outbox_audit_message.
select entry.*
  from pg_catalog.unnest(?::text[]) named (subscription)
 cross join lateral (select *
                       from outbox_audit
                      where outbox_audit.subscription = named.subscription
                        and message = ?::bigint
                      order by id
                      limit 100) entry
 order by entry.id
