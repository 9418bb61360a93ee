-- Takes a lease that is free or has ended, or renews that of this instance. One row if this instance has it now. An instance that does not get it
-- locks and writes nothing. A lease that ends later than the longest one taken now is from before the clock was set back. Served by
-- outbox_lease_pkey.
with taken as (
    update outbox_lease
       set relay = :relay,
           instance = :instance,
           until = clock_timestamp() + :millis::bigint::double precision * interval '1 millisecond'
     where name = :name
       and (instance = :instance
            or until < clock_timestamp()
            or until > clock_timestamp() + :longest::bigint::double precision * interval '1 millisecond')
    returning name
),
added as (
    insert into outbox_lease (name, relay, instance, until)
    select :name, :relay, :instance, clock_timestamp() + :millis::bigint::double precision * interval '1 millisecond'
     where not exists (select from outbox_lease where name = :name)
    on conflict (name) do nothing
    returning name
)
select name from taken
union all
select name from added
