-- The running bulk retries. Served by outbox_bulk_retry_running.
select id from outbox_bulk_retry where state = 'running' order by id
