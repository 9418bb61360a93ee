package dev.caravan.engine.store;

import dev.caravan.base.text.Causes;
import java.sql.SQLException;
import java.util.Optional;

/** The database of a lane was replaced while a relay owned the lane. The state of the lane may be invalid in the new database. */
public final class OtherHistoryException extends SQLException {
    private static final long serialVersionUID = 1L;

    OtherHistoryException(DatabaseHistory expected, DatabaseHistory found) {
        super(
                "The database was on timeline " + expected.timeline()
                        + (expected.server().equals(found.server()) ? "" : " of another server")
                        + " and is now on timeline " + found.timeline(),
                "08004");
    }

    /** The first such exception among the causes of a failure. */
    public static Optional<OtherHistoryException> in(Throwable failure) {
        return Causes.first(OtherHistoryException.class, failure);
    }
}
