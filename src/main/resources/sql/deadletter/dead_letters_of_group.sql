-- The dead letters of a group of errors. DeadLetterSearch puts this before dead_letter_page.sql, which then reads its page from them: they have
-- the name of the table. Not materialized: a group may contain most dead letters, and a page is read in order of time.
-- Served by outbox_dead_letter_group or, if most dead letters are of the group, by outbox_dead_letter_time.
-- Parameters: group; those of dead_letter_page.
with outbox_dead_letter as not materialized (
    select *
      from outbox_dead_letter
     where error_group = ?
)
