-- The entry in the audit for the messages that a statement has changed: one row for all. Of one message it has the details, of many their number,
-- ids, types and errors; and the fields of more. Served by outbox_audit_pkey.
audited as (
    insert into outbox_audit (who, via, action, subscription, message, messages, detail, reason)
    select :who, :via, :action, subscription,
           case count(*) when 1 then min(id) end,
           case count(*) when 1 then null else pg_catalog.range_agg(int8range(id, id + 1)) end,
           case count(*) when 1
                then (pg_catalog.array_agg(pg_catalog.jsonb_build_object('messageId', message_id,
                                        'key', pg_catalog.replace(pg_catalog.replace(aggregate_type, '%', '%25'), '/', '%2F') || '/' || aggregate_id,
                                        'type', type,
                                        'attempts', attempts,
                                        'errorClass', error_class)))[1] || (select of_one from more)
                else pg_catalog.jsonb_build_object('messages', count(*), 'fromId', min(id), 'toId', max(id),
                                        'types', (pg_catalog.array_agg(distinct type))[\:10],
                                        'errorClasses', (pg_catalog.array_agg(distinct error_class))[\:10]) || (select of_many from more) end,
           :reason
      from changed
     group by subscription
    returning who, reason, at
)
