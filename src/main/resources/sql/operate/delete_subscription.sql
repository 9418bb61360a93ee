-- Deletes the lanes of a subscription that is deleted; lock_subscription has locked them. Served by outbox_subscription_pkey.
delete from outbox_subscription where name = :name
