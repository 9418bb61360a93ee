-- Those of some messages that are neither in outbox_retry nor in outbox_dead_letter: run when fewer messages than expected were copied from
-- the outbox. Served by outbox_retry_pkey and outbox_dead_letter_pkey.
select id
from pg_catalog.unnest(:ids::bigint[]) as fresh (id)
where (select true from outbox_retry where subscription = :subscription and outbox_retry.id = fresh.id limit 1) is null
  and (select true from outbox_dead_letter where subscription = :subscription and outbox_dead_letter.id = fresh.id limit 1) is null
