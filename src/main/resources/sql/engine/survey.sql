-- Whether a lane has messages in outbox_retry, or a dead letter if dead letters block their keys. One statement, because people move
-- messages between the two tables at any moment. Reads one entry of outbox_retry_key and of outbox_dead_letter_key, however
-- many messages wait in other lanes: without the order, a plan by the primary key would read all of these.
select (select true
        from outbox_retry
        where subscription = :subscription
          and lane = :lane
        order by key_hash
        limit 1) is not null
    or (:dead_letters_block::boolean
        and (select true
             from outbox_dead_letter
             where subscription = :subscription
               and lane = :lane
             order by outbox_key_hash(aggregate_type, aggregate_id)
             limit 1) is not null)
