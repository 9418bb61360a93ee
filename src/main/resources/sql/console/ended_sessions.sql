-- The sessions of the console that people have ended: those of about the last eight hours. Reads a small table.
select session from outbox_ended_session
