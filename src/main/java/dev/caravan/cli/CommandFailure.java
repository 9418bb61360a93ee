package dev.caravan.cli;

/** A command failed. The message is printed without a stack trace. Exit code 1. */
final class CommandFailure extends RuntimeException {
    CommandFailure(String message) {
        super(message);
    }
}
