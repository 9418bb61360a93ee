-- Deletes a part of the rows of the audit that are older than a number of seconds. Looks at the oldest rows only, in order of id, so that it reads
-- few rows if none is old. Served by outbox_audit_pkey.
delete from outbox_audit
 where id = any (array(select id
                         from (select id, at
                                 from outbox_audit
                                order by id
                                limit :limit) oldest
                        where at < clock_timestamp() - :seconds::bigint::double precision * interval '1 second'))
