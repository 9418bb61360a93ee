-- Checks deferred constraints at the end of each statement of this transaction and not at the commit, so that the rejected row can be
-- found. Reads no table.
set constraints all immediate
