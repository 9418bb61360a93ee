-- Deletes a part of the dead letters of a subscription that were discarded longer ago than a number of seconds, the oldest first. Skips rows
-- that a person is restoring or that another relay is deleting. Served by outbox_discarded_time.
-- Parameters: subscription; subscription, seconds, rows.
delete from outbox_discarded
 where subscription = ?
   and id = any (array(select id
                         from outbox_discarded
                        where subscription = ?
                          and discarded_at < clock_timestamp() - ?::bigint::double precision * interval '1 second'
                        order by discarded_at, id
                        limit ?
                          for update skip locked))
