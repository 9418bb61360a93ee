package dev.caravan.base.settings;

/** Invalid settings. The message lists all problems. Exit code 2. */
public final class SettingsException extends RuntimeException {
    public SettingsException(String message) {
        super(message);
    }
}
