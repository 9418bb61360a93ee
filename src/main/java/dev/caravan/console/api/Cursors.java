package dev.caravan.console.api;

import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.operate.failed.Cursor;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;

/** Encodes the start of the next page as an opaque text that clients send back. */
final class Cursors {
    private Cursors() {}

    static String text(Cursor cursor) {
        long micros = cursor.time().equals(Instant.MIN)
                ? Long.MIN_VALUE
                : ChronoUnit.MICROS.between(Instant.EPOCH, cursor.time());
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(
                        (micros + " " + cursor.id() + " " + cursor.subscription()).getBytes(StandardCharsets.UTF_8));
    }

    static Cursor read(String text) {
        try {
            String[] parts = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split(" ", 3);
            if (parts.length == 3) {
                long micros = Long.parseLong(parts[0]);
                Instant time = micros == Long.MIN_VALUE ? Instant.MIN : Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
                if (time.equals(Instant.MIN) || Math.abs(micros) < 253_370_764_800_000_000L) {
                    return new Cursor(time, Long.parseLong(parts[1]), Call.storable("after", parts[2]));
                }
            }
        } catch (IllegalArgumentException | DateTimeException e) {
            // reported below
        }
        throw HttpProblem.wrong("after must be the value of next in the previous response");
    }
}
