-- Reads the messages after the position and those found among the missing ids, in order of id. One statement, so that both
-- come from one snapshot: in two, a later message of a key could overtake an earlier one that fills a gap in between.
-- Served by outbox_pkey. A payload is measured by its stored size (times the most its compression can save), not fetched.
-- Columns are named at each level: an outbox may have more of them, under any name.
-- For one of several lanes, ReadStatement puts conditions at the marks: messages of other lanes are returned without content, as
-- those of other types are. They count as delivered, so that nothing seems to be missing. Nothing is read beyond the barrier of a
-- change of lanes. An only lane does without: the conditions cost 0.05 ms of planning, a tenth of an empty read.
-- Where missing ids are left out that only some open transactions can fill, the last column says which of these have ended for
-- this very snapshot: it may see their ids, so the rows are worth nothing if there is one.
select id,
       selected,
       candidates,
       case when selected then message_id end,
       aggregate_type,
       aggregate_id,
       type,
       case when selected then headers end,
       case when selected then payload end,
       created_at,
       /*ended*/ as ended
from (
    select id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at, selected,
           row_number() over (order by id) as place,
           count(*) over () as candidates,
           sum(case when selected then
                   coalesce(pg_column_size(headers)
                       * case pg_column_compression(headers) when 'pglz' then 88 when 'lz4' then 256 else 1 end, 0)
                   + coalesce(pg_column_size(payload)
                       * case pg_column_compression(payload) when 'pglz' then 88 when 'lz4' then 256 else 1 end, 0)
               else 0 end) over (order by id rows unbounded preceding) as bytes
    from (
        select id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at,
               type like any (?) /*of the lane*/ as selected
        from unnest(?::int8multirange) as gap (ids)
        cross join lateral (
            select id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at
            from outbox
            where id >= lower(gap.ids) and id < upper(gap.ids)
            order by id
            limit ?
        ) as found
        union all
        (
            select id, message_id, aggregate_type, aggregate_id, type, headers, payload, created_at,
                   type like any (?) /*of the lane*/
            from outbox
            where id > ? /*up to the barrier*/
            order by id
            limit ?
        )
    ) as visible
) as measured
where place <= ?
  and (bytes <= ? or place = 1)
order by id
