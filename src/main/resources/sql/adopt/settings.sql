-- Settings of the server on which the safety of a committed message depends, and where a database or role has synchronous_commit off.
with off_for as (
    select pg_catalog.array_agg(case when setting.setrole = 0::oid and setting.setdatabase = 0::oid then 'role all'
                                     when setting.setrole = 0::oid then pg_catalog.format('database %I', base.datname)
                                     when setting.setdatabase = 0::oid then 'role ' || setting.setrole::regrole::text
                                     else pg_catalog.format('role %s in database %I', setting.setrole::regrole, base.datname) end order by 1) as names
      from pg_db_role_setting setting
      left join pg_database base on base.oid = setting.setdatabase
     where pg_catalog.lower(setting.setconfig::text) ~ '\msynchronous_commit=(off|false|no|0)\M'
       and coalesce(base.datname, current_database()) = current_database()
),
off as (
    select kind, name
      from (values ('fsync-off', 'fsync'),
                   ('full-page-writes-off', 'full_page_writes'),
                   ('synchronous-commit-off', 'synchronous_commit')) as given (kind, name)
     where current_setting(name) = 'off'
)
select kind, case kind when 'synchronous-commit-off' then 'warning' else 'critical' end as severity, 'setting ' || name as about, 'off' as figure,
       'Switch it on.' as fix,
       pg_catalog.format(E'alter system set %s = on;\nselect pg_reload_conf();', name) as sql
  from off
 where kind <> 'synchronous-commit-off' or (select names from off_for) is null
union all
select 'synchronous-commit-off', 'warning', 'setting synchronous_commit of ' || pg_catalog.array_to_string(names, ', '), 'off',
       'Switch it on for those who write messages.',
       'alter ' || names[1] || ' reset synchronous_commit;'
  from off_for
 where names is not null
