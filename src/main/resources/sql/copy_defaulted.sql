-- Copies the next messages of outbox_default, of a range of ids that no open transaction can add to any more, and returns the
-- highest id copied (null: none are left). Nobody reads the copies before swap_default. Parameters: after id, up to id, how many.
-- Served by the primary key of outbox_default.
with copied as (
    insert into outbox_moving
    select *
      from outbox
     where id > ?
       and id <= ?
     order by id
     limit ?
    returning id
)
select max(id) from copied
