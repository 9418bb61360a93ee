-- What people did in the last seven days, for charts: of the newest 10,000 entries of the audit one row for each person, action, subscription and
-- minute, because a change of many messages has an entry for each of its steps. Notes about errors, and the end of a job, change nothing that charts
-- show. Served by outbox_audit_pkey.
select min(id) as id,
       min(at) as at,
       who,
       action,
       subscription,
       count(*) as entries,
       sum(case when message is not null then 1::bigint
                when (detail ->> 'messages'::text) ~ '^[0-9]{1,12}$'::text then (detail ->> 'messages'::text)::bigint
                else 0::bigint end)::bigint as messages,
       min(reason) as reason
  from (select id, at, who, action, subscription, message, detail, reason
          from outbox_audit
         order by id desc
         limit 10000) as newest
 where at >= clock_timestamp() - interval '7 days'
   and action <> 'mark'
   and pg_catalog.jsonb_typeof(detail -> 'job'::text) is null
 group by who, action, subscription, date_bin(interval '1 minute', at, timestamptz '2000-01-01 00:00:00Z')
 order by 1 desc
 limit 500
