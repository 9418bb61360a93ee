-- Settings of the server on which the safety of a committed message depends, and where a database or role has synchronous_commit off.
select current_setting('fsync')::boolean as fsync,
       current_setting('full_page_writes')::boolean as full_page_writes,
       current_setting('synchronous_commit') as synchronous_commit,
       (select array_agg(case when setting.setrole = 0 and setting.setdatabase = 0 then 'role all'
                              when setting.setrole = 0 then format('database %I', base.datname)
                              when setting.setdatabase = 0 then 'role ' || setting.setrole::regrole
                              else format('role %s in database %I', setting.setrole::regrole, base.datname) end order by 1)
          from pg_db_role_setting setting
          left join pg_database base on base.oid = setting.setdatabase
         where lower(setting.setconfig::text) ~ '\msynchronous_commit=(off|false|no|0)\M'
           and coalesce(base.datname, current_database()) = current_database()) as off_for
