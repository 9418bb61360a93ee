-- Makes each statement of this transaction fail by itself, instead of the commit, also where a constraint is deferred: so that the rejected
-- row can be found. Reads no table.
set constraints all immediate
