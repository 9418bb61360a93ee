-- Whether a lane has messages in outbox_retry, or a dead letter if dead letters block their keys. One statement, because people move
-- messages between the two tables at any moment. Reads one entry of outbox_retry_key and of outbox_dead_letter_key, however
-- many messages wait in other lanes: without the order, a plan by the primary key would read all of these.
-- Parameters: subscription, lane; whether dead letters block, subscription, lane.
select (select true
        from outbox_retry
        where subscription = ?
          and lane = ?
        order by key_hash
        limit 1) is not null
    or (?::boolean
        and (select true
             from outbox_dead_letter
             where subscription = ?
               and lane = ?
             order by outbox_key_hash(aggregate_type, aggregate_id)
             limit 1) is not null)
