-- The schema of the session, and which tables in it show whether they belong to Caravan. One row; reads the catalog.
select current_schema() as schema,
       to_regclass(quote_ident(current_schema()::text) || '.outbox') is not null as outbox,
       to_regclass(quote_ident(current_schema()::text) || '.outbox_subscription') is not null as subscription,
       to_regclass(quote_ident(current_schema()::text) || '.outbox_schema_history') is not null as migrated
