-- Age of the oldest transaction id and multixact id that are not frozen: of the database, and of a table with its partitions.
-- Parameter: oids of the table and its partitions.
select 'database ' || datname::text as name, age(datfrozenxid)::bigint as transactions, mxid_age(datminmxid)::bigint as multixacts
  from pg_database
 where datname = current_database()
union all
select 'table ' || oid::regclass::text, age(relfrozenxid), mxid_age(relminmxid)
  from (select oid, relfrozenxid, relminmxid
          from pg_class
         where oid = any (?::oid[]) and relkind = 'r'
         order by age(relfrozenxid) desc
         limit 1) oldest
