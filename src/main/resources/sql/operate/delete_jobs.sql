-- Cancels the bulk retries of a subscription that is deleted. Few rows; served by outbox_job_pkey.
delete from outbox_job where subscription = :subscription and first is not null
