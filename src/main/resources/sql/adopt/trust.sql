-- Whose code an expression on the rows of a table can run: a cast, a check of a domain and the like are written by the owner of the table or of
-- a type of its columns, and call functions that may have another owner. One row. untrusted: of these owners, those that a role has no reason to
-- trust: they are neither superusers nor the role itself nor members of it. If the role marks rows (mark: UPDATE or DELETE; null for none), also
-- those whose code runs then: in triggers, constraints, indexes, generated columns and rules, and roles that own or may create a trigger or a
-- foreign key of a table whose rows change along. foreign_columns:
-- columns whose type is not one of Postgres, at any depth. of_extensions: those with operators of their own, which Postgres looks up in the
-- search_path. foreign_code: functions and operators of such owners in indexes, statistics, checks and the partition key, which
-- Postgres may evaluate while it plans a read, in casts and checks of the types, and in policies that apply to the role;
-- code_owners: these owners. changed_by_others: whether such a role owns the table or a part of it. Reads the catalog.
with recursive part (name, type) as (
    select attname::text, atttypid
      from pg_attribute
     where attrelid = :oid::oid
       and attnum > 0
       and not attisdropped
    union
    select part.name, inner_type.oid
      from part
      join pg_type type on type.oid = part.type
     cross join lateral (select type.typelem
                         union all
                         select type.typbasetype
                         union all
                         select rngsubtype from pg_range where rngtypid = type.oid or rngmultitypid = type.oid
                         union all
                         select atttypid from pg_attribute where attrelid = type.typrelid and attnum > 0 and not attisdropped) inner_type (oid)
     where inner_type.oid <> 0::oid
),
foreign_type as (
    select part.name, type.typowner, type.typtype = 'b' and type.typelem = 0::oid as own_operators
      from part
      join pg_type type on type.oid = part.type
     where type.oid >= 16384::oid -- those of Postgres have lower numbers
),
role as (
    select oid, rolsuper, rolbypassrls from pg_roles where quote_ident(rolname::text) = :role::text
),
relation (oid) as (
    select :oid::oid
    union
    select inhrelid from relation join pg_inherits on inhparent = relation.oid
),
-- The tables whose rows change when the role marks one, and how. Before Postgres 18, triggers that fire after a foreign key has changed rows
-- along run with the rights of the role; later with those of the owner of the table with the foreign key, whoever marks. A foreign key may be
-- to the whole table or to a partition, and before Postgres 15 an update that moves a row to another partition deletes it.
changed (oid, change) as (
    select :oid::oid, :mark::text where :mark::text is not null
    union
    select next.oid, next.change
      from changed
     cross join lateral (select inhrelid, changed.change from pg_inherits where inhparent = changed.oid
                         union all
                         select inhparent, changed.change
                           from pg_inherits
                           join pg_class on pg_class.oid = inhrelid and relispartition
                          where inhrelid = changed.oid
                         union all
                         select oid, 'DELETE'
                           from pg_class
                          where oid = changed.oid
                            and relispartition
                            and current_setting('server_version_num')::integer < 150000
                         union all
                         select conrelid, case when changed.change = 'DELETE' and confdeltype = 'c' then 'DELETE' else 'UPDATE' end
                           from pg_constraint
                          where confrelid = changed.oid
                            and contype = 'f'
                            and case changed.change when 'DELETE' then confdeltype else confupdtype end in ('c', 'n', 'd')
                            and current_setting('server_version_num')::integer < 180000) next (oid, change)
),
expression (class, oid, moment) as (
    select 'pg_class'::regclass::oid, oid, 'plan' from relation
    union all
    select 'pg_class'::regclass::oid, indexrelid, 'plan' from relation join pg_index on indrelid = relation.oid
    union all
    select 'pg_constraint'::regclass::oid, pg_constraint.oid, 'plan' from relation join pg_constraint on conrelid = relation.oid
    union all
    select 'pg_statistic_ext'::regclass::oid, pg_statistic_ext.oid, 'plan' from relation join pg_statistic_ext on stxrelid = relation.oid
    union all
    select 'pg_policy'::regclass::oid, pg_policy.oid, 'plan'
      from role
      join pg_class on pg_class.oid = :oid::oid
       and relrowsecurity
       and not rolsuper
       and not rolbypassrls
       and (relforcerowsecurity or not pg_has_role(role.oid, relowner, 'USAGE'))
      join pg_policy on polrelid = pg_class.oid
    union all
    select 'pg_constraint'::regclass::oid, pg_constraint.oid, 'value' from part join pg_constraint on contypid = part.type
    union all
    select 'pg_cast'::regclass::oid, pg_cast.oid, 'value'
      from part
      join pg_cast on castsource = part.type and casttarget < 16384::oid or casttarget = part.type and castsource < 16384::oid
     where part.type >= 16384::oid
    union all
    select 'pg_trigger'::regclass::oid, pg_trigger.oid, 'mark' from changed join pg_trigger on tgrelid = changed.oid and not tgisinternal
    union all
    select 'pg_attrdef'::regclass::oid, pg_attrdef.oid, 'mark'
      from relation
      join pg_attribute on attrelid = relation.oid and attgenerated <> ''
      join pg_attrdef on adrelid = attrelid and adnum = attnum
    union all
    select 'pg_rewrite'::regclass::oid, pg_rewrite.oid, 'mark' from relation join pg_rewrite on ev_class = relation.oid
),
stranger as (
    select owner.oid, quote_ident(owner.rolname::text) as name
      from pg_roles owner
     cross join role
     where not owner.rolsuper
       and owner.oid <> role.oid
       and not pg_has_role(owner.oid, role.oid, 'MEMBER')
    union all
    select 0::oid, 'public'
),
marker (oid) as (
    select relowner from changed join pg_class on pg_class.oid = changed.oid
    union all
    select acl.grantee
      from changed
      join pg_class on pg_class.oid = changed.oid
     cross join lateral (select relacl
                         union all
                         select attacl from pg_attribute where attrelid = changed.oid and attacl is not null) rights (given)
     cross join lateral aclexplode(rights.given) acl
     where acl.privilege_type = 'TRIGGER'
        or acl.privilege_type = 'REFERENCES' and current_setting('server_version_num')::integer < 180000
),
code (name, owner, moment) as (
    select distinct pg_describe_object(refclassid, refobjid, refobjsubid), coalesce(proowner, oprowner), moment
      from expression
      join pg_depend on classid = expression.class and objid = expression.oid
      left join pg_proc on refclassid = 'pg_proc'::regclass::oid and pg_proc.oid = refobjid
      left join pg_operator on refclassid = 'pg_operator'::regclass::oid and pg_operator.oid = refobjid
     where coalesce(proowner, oprowner) is not null
)
select :role::text as role,
       array(select distinct stranger.name
               from (select relowner as oid from pg_class where oid = :oid::oid
                     union
                     select typowner from foreign_type
                     union
                     select oid from marker
                     union
                     select owner from code where moment = 'value' or :mark::text is not null) author
               join stranger on stranger.oid = author.oid
              order by 1) as untrusted,
       array(select distinct name from foreign_type order by 1) as foreign_columns,
       array(select distinct name from foreign_type where own_operators order by 1) as of_extensions,
       array(select distinct code.name from code join stranger on stranger.oid = code.owner where moment <> 'mark' order by 1) as foreign_code,
       array(select distinct stranger.name from code join stranger on stranger.oid = code.owner where moment <> 'mark' order by 1) as code_owners,
       exists (select from relation
                 join pg_class class on class.oid = relation.oid
                 join stranger on stranger.oid = class.relowner) as changed_by_others
