-- Lets each statement of this transaction fail by itself, and not the commit, also where a constraint is deferred: so that the row that
-- is refused can be found. Reads nothing.
set constraints all immediate
