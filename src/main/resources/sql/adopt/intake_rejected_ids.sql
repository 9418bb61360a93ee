-- Draws ids for dead letters of an intake, which no message has: the transaction is rolled back to a savepoint afterwards. An insert and not
-- nextval, because the role of a relay may only insert. Used by IntakeStore.
insert into outbox (aggregate_type, aggregate_id, type)
select 'intake', 'none', 'intake.rejected'
  from generate_series(1, :count::integer)
returning id
