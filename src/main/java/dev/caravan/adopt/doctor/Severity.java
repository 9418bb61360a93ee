package dev.caravan.adopt.doctor;

import java.util.Locale;

/** How urgent a finding is; the most urgent first. */
public enum Severity {
    /** Messages are lost, stopped, or in danger now. */
    CRITICAL,
    /** Messages will be late, out of order or lost under load or after a failure. */
    WARNING,
    /** Costs time or limits what receivers can do. */
    NOTE;

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
