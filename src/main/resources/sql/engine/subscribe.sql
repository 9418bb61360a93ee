-- Creates the lanes of a subscription that starts after a position; an existing subscription keeps its lanes and progress.
-- The other lanes depend on the first, so that of two relays with different numbers of lanes only one creates them.
with first as (
    insert into outbox_subscription (name, lane, lanes, position, sequence_file, stored_in)
    select :subscription, 0, :lanes, least(:position, coalesce((select id from outbox order by id desc limit 1), 0)),
           pg_relation_filenode('outbox_id_seq'::regclass), 'outbox_subscription'::regclass
    on conflict do nothing
    returning name, lanes, position, sequence_file, stored_in
)
insert into outbox_subscription (name, lane, lanes, position, sequence_file, stored_in)
select first.name, lane, first.lanes, first.position, first.sequence_file, first.stored_in
from first
cross join generate_series(1, :lanes::integer - 1) as lane
