package dev.caravan.operate.subscription;

import java.time.Instant;

/** A relay has halted a subscription until a person resumes it after an id. */
public record Halt(Instant since, String reason) {}
