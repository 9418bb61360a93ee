-- Why no message has an id: the last id of the sequence, the lowest one in the outbox, the subscriptions that have the id in their gaps,
-- those in which the last change by a person was to discard it, and the intakes in which it was to retry it. Served by outbox_pkey, outbox_subscription_pkey and
-- outbox_audit_message and outbox_audit_messages.
select (select last_value - (not is_called)::int from outbox_id_seq) as last_id,
       (select id from outbox where id >= 0 order by id limit 1) as lowest,
       (select coalesce(pg_catalog.array_agg(distinct name order by name), '{}')
          from outbox_subscription
         where gaps operator(pg_catalog.@>) :id::bigint
            or older_gaps operator(pg_catalog.@>) :id::bigint) as missing_in,
       coalesce(changed.discarded_in, '{}') as discarded_in,
       coalesce(changed.copied_in, '{}') as copied_in
  from (select pg_catalog.array_agg(subscription.name order by subscription.name) filter (where changed.action = 'discard') as discarded_in,
               pg_catalog.array_agg(subscription.name order by subscription.name)
                   filter (where changed.action = 'retry' and subscription.name like 'intake:%') as copied_in
          from (select distinct name from outbox_subscription union all select 'intake:' || intake from outbox_intake) subscription
         cross join lateral (select action
                               from ((select id, action
                                        from outbox_audit
                                       where outbox_audit.subscription = subscription.name
                                         and message = :id::bigint
                                       order by id desc
                                       limit 1)
                                     union all
                                     select id, action
                                       from outbox_audit
                                      where messages operator(pg_catalog.@>) :id::bigint
                                        and outbox_audit.subscription = subscription.name) part
                              order by id desc
                              limit 1) changed) changed
