-- Age of the oldest transaction id and multixact id that are not frozen: of the database, and of a table with its partitions.
with unfrozen as (
    select 'database ' || datname::text as name, '' as table_name, age(datfrozenxid)::bigint as transactions, mxid_age(datminmxid)::bigint as multixacts
      from pg_database
     where datname = current_database()
    union all
    select 'table ' || oid::regclass::text, ' ' || oid::regclass::text, age(relfrozenxid), mxid_age(relminmxid)
      from (select oid, relfrozenxid, relminmxid
              from pg_class
             where oid = any (:parts::oid[]) and relkind = 'r'
             order by age(relfrozenxid) desc
             limit 1) oldest
)
select 'wraparound' as kind,
       case when greatest(transactions, multixacts) < :unfrozen_critical::bigint then 'warning' else 'critical' end as severity,
       name as about,
       pg_catalog.format('{count %s} of 2,147,483,647 %s', greatest(transactions, multixacts),
           case when transactions >= multixacts then 'transactions' else 'multixacts' end) as figure,
       'Remove what holds vacuum back, then freeze.' as fix,
       'vacuum (freeze, verbose)' || table_name || ';' as sql
  from unfrozen
 where greatest(transactions, multixacts) >= :unfrozen::bigint
