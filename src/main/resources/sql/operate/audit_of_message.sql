-- The last 100 changes by people to one message alone, of each of some subscriptions, and the last 100 steps of changes of many, oldest first. Served by
-- outbox_audit_message and outbox_audit_messages. The newest have the originals of an edited
-- message up to a total size.
select id, at, who, via, action, subscription, message, reason,
       case when sum(octet_length(detail::text)) over (order by id desc) <= :most::bigint then detail else detail - 'original'::text end as detail
  from (select entry.*
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
          limit 100)) as entries
 order by id
