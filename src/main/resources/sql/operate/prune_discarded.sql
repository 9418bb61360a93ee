-- Deletes a part of the dead letters of a subscription that were discarded longer ago than a number of seconds, the oldest first. Skips rows
-- that a person is restoring or that another relay is deleting. Served by outbox_discarded_time.
delete from outbox_discarded
 where subscription = :subscription
   and id = any (array(select id
                         from outbox_discarded
                        where subscription = :subscription
                          and discarded_at < clock_timestamp() - :seconds::bigint::double precision * interval '1 second'
                        order by discarded_at, id
                        limit :rows
                          for update skip locked))
