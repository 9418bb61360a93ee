-- The dead letters of a key. DeadLetterSearch puts this before a dead_letter_page, which then reads its page from them: they have the name
-- of the table. All are read before they are sorted: they are few, and the server must not read all dead letters instead.
-- Served by outbox_dead_letter_key.
with outbox_dead_letter as materialized (
    select *
      from outbox_dead_letter
     where subscription = :subscription
       and aggregate_type = :keyType
       and aggregate_id = :keyId
       and outbox_key_hash(aggregate_type, aggregate_id) = outbox_key_hash(:keyType, :keyId)
       and lane = outbox_lane(:keyType, :keyId, coalesce((select lanes from outbox_subscription where name = :subscription and lane = 0), 1))
)
