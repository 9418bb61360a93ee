-- The dead letters of a group of errors. DeadLetterSearch puts this before a dead_letter_page, which then reads its page from them: they have
-- the name of the table. Not materialized: a group may contain most dead letters, and a page is read in its order.
-- Served by outbox_dead_letter_group or, if most dead letters are in the group, by the index of the page.
with outbox_dead_letter as not materialized (
    select *
      from outbox_dead_letter
     where error_group = :group
)
