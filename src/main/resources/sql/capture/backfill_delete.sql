-- Forgets the backfill of a capture that is removed: what it has written says nothing about a capture of the same name. Parameter: name.
delete from outbox_backfill where capture = ?
