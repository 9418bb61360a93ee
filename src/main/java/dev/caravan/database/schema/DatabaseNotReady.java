package dev.caravan.database.schema;

import dev.caravan.database.DatabaseProblem;
import java.util.List;
import java.util.stream.Collectors;

/** A person must correct something in the database before messages can be delivered. The message lists all problems. */
public final class DatabaseNotReady extends RuntimeException {
    private static final long serialVersionUID = 1L;

    DatabaseNotReady(List<DatabaseProblem> problems) {
        super("The database is not ready:\n"
                + problems.stream().map(problem -> "- " + problem.text()).collect(Collectors.joining("\n")));
    }
}
