-- Reads the messages after the position and those found among the missing ids, in order of id. One statement, so that both
-- come from one snapshot: in two, a later message of a key could overtake an earlier one that fills a gap in between.
-- Served by outbox_pkey. The bounds of all gaps are passed too, so that Postgres skips partitions before it opens them: it knows the
-- ranges only later, and would open every partition for each read.
-- Columns are named at each level: an outbox may have additional columns of any name.
-- A row without a message id is not selected. The values of the last column apply to the whole read and are in its first row.
-- For one of several lanes, ReadStatement inserts conditions at the marks: messages of other lanes are returned without content, as
-- messages of other types are. They count as delivered, so that their ids are not missing. Nothing above the barrier of a
-- change of lanes is read. A single lane does not need these conditions, which cost 0.05 ms of planning, a tenth of an empty read.
-- For the tail, which reads for lanes of several subscriptions, ReadStatement inserts the hash of the key at other marks.
-- If missing ids are left out that only certain open transactions can fill, the last column also lists those of these transactions that
-- have ended in this snapshot. If there is one, the snapshot contains ids that were left out, so the rows must be discarded.
-- A message that is larger than the limit of the subscription is returned without headers and payload, but with its size. This is determined
-- only if the sum of the estimates is above the limit or headers may be larger than theirs,
-- and once for each row (offset 0): for all rows it would double the time of a read.
-- The row without an id is the last one, and the only one of a read that finds nothing. It has the last id that the sequence has assigned,
-- and the file of the sequence: each read notices that the sequence was set back or restarted. Both are subqueries, because Postgres then
-- locks the outbox before the sequence, as TRUNCATE does. The order of the whole costs no sort: both parts are sorted.
select *
from (
select id,
       case when selected then message_id end as message_id,
       aggregate_type,
       aggregate_id,
       type,
       case when selected and large is null then headers end as headers,
       case when selected and large is null then payload end as payload,
       case when selected and large is null then payload_bytes end as payload_bytes,
       created_at,
       large as left_out,
       case when place = 1 then pg_catalog.concat_ws(' ', candidates, /*ended*/) end as of_the_read/*hash*/
from (
select id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, selected, place, candidates,
       case when selected and (bytes > :max_message_bytes or pg_catalog.pg_column_size(headers) > 500) then outbox_too_large(headers, payload, payload_bytes, :max_message_bytes::bigint) end as large
from (
    select id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at, selected,
           row_number() over (order by id) as place,
           count(*) over () as candidates,
           sum(case when selected then
\ir stored_bytes.sql
               else 0 end) over (order by id rows unbounded preceding) as bytes
    from (
        select id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at,
               type like any (:types) /*of the lane*/ as selected
        from pg_catalog.unnest(:missing::int8multirange) as gap (ids)
        cross join lateral (
            select id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at
            from outbox
            where id >= pg_catalog.lower(gap.ids) and id < pg_catalog.upper(gap.ids)
              and id >= :lowest_missing and id < :end_of_missing
            order by id
            limit :limit
        ) as found
        union all
        (
            select id, message_id, aggregate_type, aggregate_id, type, headers, payload, payload_bytes, created_at,
                   type like any (:types) /*of the lane*/
            from outbox
            where id > :position /*up to the barrier*/
            order by id
            limit :limit
        )
    ) as visible
) as measured
where place <= :limit
  and (bytes <= :bytes or place = 1)
order by id
offset 0
) as chosen
order by id
) as found
union all
select null, null, null, null, null, null, null, null, null, null,
       pg_catalog.concat_ws(' ', (select last_value - (not is_called)::int from outbox_id_seq), pg_relation_filenode('outbox_id_seq'::regclass))/*no hash*/
order by id
