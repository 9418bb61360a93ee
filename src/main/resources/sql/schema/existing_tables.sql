-- The schema of the session, and which of the names that tell whose tables are in it are taken. One row; reads the catalog.
select current_schema() as schema,
       to_regclass(quote_ident(current_schema()) || '.outbox') is not null as outbox,
       to_regclass(quote_ident(current_schema()) || '.outbox_subscription') is not null as subscription,
       to_regclass(quote_ident(current_schema()) || '.outbox_schema_history') is not null as migrated
