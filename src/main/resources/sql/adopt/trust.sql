-- Whose code an expression on the rows of a table can run: a cast, a check of a domain and the like are written by the owner of the table or of
-- a type of its columns. One row. untrusted: of these owners, those that a role has no reason to trust: they are neither superusers nor the
-- role itself nor members of it. foreign_columns: columns whose type is not one of Postgres, at any depth. foreign_code: functions and operators
-- of such owners in indexes, statistics, checks and the partition key, which Postgres may evaluate while it plans a read;
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
    select part.name, type.typowner
      from part
      join pg_type type on type.oid = part.type
     where type.oid >= 16384::oid -- those of Postgres have lower numbers
),
role as (
    select oid from pg_roles where quote_ident(rolname::text) = :role::text
),
relation (oid) as (
    select :oid::oid
    union
    select inhrelid from relation join pg_inherits on inhparent = relation.oid
),
expression (class, oid) as (
    select 'pg_class'::regclass::oid, oid from relation
    union all
    select 'pg_class'::regclass::oid, indexrelid from relation join pg_index on indrelid = relation.oid
    union all
    select 'pg_constraint'::regclass::oid, pg_constraint.oid from relation join pg_constraint on conrelid = relation.oid
    union all
    select 'pg_statistic_ext'::regclass::oid, pg_statistic_ext.oid from relation join pg_statistic_ext on stxrelid = relation.oid
),
stranger as (
    select owner.oid, quote_ident(owner.rolname::text) as name
      from pg_roles owner
     cross join role
     where not owner.rolsuper
       and owner.oid <> role.oid
       and not pg_has_role(owner.oid, role.oid, 'MEMBER')
),
code (name, owner) as (
    select distinct pg_describe_object(refclassid, refobjid, refobjsubid), coalesce(proowner, oprowner)
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
                     select typowner from foreign_type) author
               join stranger on stranger.oid = author.oid
              order by 1) as untrusted,
       array(select distinct name from foreign_type order by 1) as foreign_columns,
       array(select code.name from code join stranger on stranger.oid = code.owner order by 1) as foreign_code,
       array(select distinct stranger.name from code join stranger on stranger.oid = code.owner order by 1) as code_owners,
       exists (select from relation
                 join pg_class class on class.oid = relation.oid
                 join stranger on stranger.oid = class.relowner) as changed_by_others
