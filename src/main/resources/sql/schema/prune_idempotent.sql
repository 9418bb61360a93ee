-- Forgets remembered message ids that are older than some seconds, a part of them. Served by outbox_idempotent_time. Rows that
-- another relay is removing are left to it. createdat has no zone: it is written by the clock of the session, like here.
delete from outbox_idempotent
where (processorname, messageid) in (
    select processorname, messageid
    from outbox_idempotent
    where createdat < localtimestamp - ? * interval '1 second'
    order by createdat
    limit ?
    for update skip locked
)
