-- Forgets remembered message ids that are older than some days, a part of them. Served by outbox_idempotent_time. Rows that
-- another relay is removing are left to it. createdat has no zone: it is written by the clock of the session, like here.
delete from outbox_idempotent
where (processorname, messageid) in (
    select processorname, messageid
    from outbox_idempotent
    where createdat < localtimestamp - ? * interval '1 day'
    order by createdat
    limit ?
    for update skip locked
)
