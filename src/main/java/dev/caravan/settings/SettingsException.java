package dev.caravan.settings;

/** Settings that cannot work; the message names every problem found. The command line ends with exit code 2. */
public final class SettingsException extends RuntimeException {
    public SettingsException(String message) {
        super(message);
    }
}
