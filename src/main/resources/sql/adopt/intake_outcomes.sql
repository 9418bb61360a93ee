-- What became of messages of an intake: a page of those that are not final, in order of id, up to the lowest position of the subscription. Used by
-- Outcomes. One statement, because a message is in one place in each snapshot: it is delivered if each lane has read it, it is in no gap, and it
-- neither waits nor is dead. A rejected row has the negative id of its dead letter; it is final when a person has retried or discarded
-- it. A dead letter that is discarded and not stored is known from the audit, which is read only for those that were dead. Served by the
-- primary keys, outbox_audit_message and outbox_audit_messages.
with part as materialized (
    select id, row_key, dead_at
      from outbox_intake_row
     where intake = :intake
       and id > :after
       and id <= (select coalesce(pg_catalog.min(position), 0) from outbox_subscription where name = :subscription)
     order by id
     limit :limit
)
select part.id,
       part.row_key,
       dead.attempts,
       dead.error_text,
       dead.last_failed_at::text as failed_at,
       case when dead.id is not null then case when part.dead_at = dead.last_failed_at then 'WAITING' else 'DEAD' end
            when waiting.id is not null then 'WAITING'
            when part.id < 0 then 'FINAL'
            when exists (select
                           from outbox_subscription as lane
                          where lane.name = :subscription
                            and (lane.position < part.id or lane.gaps operator(pg_catalog.@>) part.id
                                 or lane.older_gaps operator(pg_catalog.@>) part.id)) then 'WAITING'
            when exists (select
                           from outbox_discarded as discarded
                          where discarded.subscription = :subscription
                            and discarded.id = part.id) then 'FINAL'
            when part.dead_at is not null
                 and greatest((select pg_catalog.max(audit.id) from outbox_audit as audit
                                where audit.subscription = :subscription and audit.message = part.id and audit.action = 'discard'),
                              (select pg_catalog.max(audit.id) from outbox_audit as audit
                                where audit.subscription = :subscription and audit.messages operator(pg_catalog.@>) part.id and audit.action = 'discard'))
                     > coalesce(greatest((select pg_catalog.max(audit.id) from outbox_audit as audit
                                where audit.subscription = :subscription and audit.message = part.id and audit.action = 'retry'),
                              (select pg_catalog.max(audit.id) from outbox_audit as audit
                                where audit.subscription = :subscription and audit.messages operator(pg_catalog.@>) part.id and audit.action = 'retry')), 0)
                then 'FINAL'
            else 'DELIVERED' end as kind
  from part
  left join outbox_dead_letter as dead
    on dead.subscription = case when part.id < 0 then :rejected else :subscription end
   and dead.id = abs(part.id)
  left join outbox_retry as waiting
    on waiting.subscription = case when part.id < 0 then :rejected else :subscription end
   and waiting.id = abs(part.id)
 order by part.id
