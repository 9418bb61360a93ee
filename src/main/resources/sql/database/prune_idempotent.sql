-- Deletes some of the stored message ids that are older than a number of seconds. Served by outbox_idempotent_time. Skips rows
-- that another relay is deleting. createdat has no zone: it is written in the time zone of the session, like here.
delete from outbox_idempotent
where (processorname, messageid) in (
    select processorname, messageid
    from outbox_idempotent
    where createdat < localtimestamp - :seconds::double precision * interval '1 second'
    order by createdat
    limit :most::bigint
    for update skip locked
)
