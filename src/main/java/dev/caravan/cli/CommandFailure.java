package dev.caravan.cli;

/** A command that could not do its work; the message is all that a person needs. Exit code 1. */
final class CommandFailure extends RuntimeException {
    CommandFailure(String message) {
        super(message);
    }
}
