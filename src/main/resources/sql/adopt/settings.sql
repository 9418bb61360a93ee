-- Settings of the server on which the safety of a committed message depends, and where a database or role has synchronous_commit off.
select current_setting('fsync')::boolean as fsync,
       current_setting('full_page_writes')::boolean as full_page_writes,
       current_setting('synchronous_commit') as synchronous_commit,
       (select pg_catalog.array_agg(case when setting.setrole = 0::oid and setting.setdatabase = 0::oid then 'role all'
                              when setting.setrole = 0::oid then pg_catalog.format('database %I', base.datname)
                              when setting.setdatabase = 0::oid then 'role ' || setting.setrole::regrole::text
                              else pg_catalog.format('role %s in database %I', setting.setrole::regrole, base.datname) end order by 1)
          from pg_db_role_setting setting
          left join pg_database base on base.oid = setting.setdatabase
         where pg_catalog.lower(setting.setconfig::text) ~ '\msynchronous_commit=(off|false|no|0)\M'
           and coalesce(base.datname, current_database()) = current_database()) as off_for
