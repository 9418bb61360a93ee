package dev.caravan.adopt.intake;

/** The data source of an intake does not exist. */
final class MissingDataSource extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MissingDataSource(String message) {
        super(message);
    }
}
