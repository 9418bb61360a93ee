-- The end of the statements that subscribe: creates the lanes of a subscription after the id of "before". Its gaps are the ids
-- from a given one on that are not visible: open transactions may still fill them; lower ids never appear. Gaps are found between
-- consecutive entries of outbox_pkey, which takes about 0.3 s for a million messages. An existing subscription keeps its progress.
-- The other lanes depend on the first, so that of two relays with different numbers of lanes only one creates them.
, given as (
    select greatest(:first_open::bigint, 1) as from_id
),
first as (
    insert into outbox_subscription (name, lane, lanes, position, gaps, sequence_file, stored_in)
    select :subscription,
           0,
           :lanes,
           before.id,
           coalesce((select pg_catalog.range_agg(int8range(visible.previous + 1, visible.id))
                       from (select id, pg_catalog.lag(id, 1, given.from_id - 1) over (order by id) as previous
                               from (select id
                                       from outbox
                                      where id >= given.from_id and id <= before.id
                                     union all
                                     select before.id + 1) as ends) as visible
                      where visible.id > visible.previous + 1), '{}'),
           pg_relation_filenode('outbox_id_seq'::regclass),
           'outbox_subscription'::regclass
    from given
    cross join before
    on conflict do nothing
    returning name, lanes, position, gaps, sequence_file, stored_in
)
insert into outbox_subscription (name, lane, lanes, position, gaps, sequence_file, stored_in)
select first.name, lane, first.lanes, first.position, first.gaps, first.sequence_file, first.stored_in
from first
cross join generate_series(1, :lanes::integer - 1) as lane
