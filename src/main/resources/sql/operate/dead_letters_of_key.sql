-- The dead letters of a key. DeadLetterSearch puts this before a dead_letter_page, which then reads its page from them: they have the name
-- of the table. All are read before they are sorted: they are few, and the server must not read all dead letters instead.
-- Served by outbox_dead_letter_key. Parameters: subscription, key (type and id, three times), subscription; those of the page.
with outbox_dead_letter as materialized (
    select *
      from outbox_dead_letter
     where subscription = ?
       and aggregate_type = ?
       and aggregate_id = ?
       and outbox_key_hash(aggregate_type, aggregate_id) = outbox_key_hash(?, ?)
       and lane = outbox_lane(?, ?, coalesce((select lanes from outbox_subscription where name = ? and lane = 0), 1))
)
