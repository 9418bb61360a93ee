package dev.caravan.console.http;

import dev.caravan.base.clock.Clock;
import dev.caravan.base.message.Key;
import dev.caravan.base.text.PointInTime;
import dev.caravan.base.text.TimeRange;
import dev.caravan.base.text.UuidText;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** Named values of a request: its query, or an object in its body. A value that cannot be parsed throws an {@link HttpProblem}. */
public interface Values {
    /** Empty when it is missing or empty. */
    Optional<String> text(String name);

    /** How a problem names a value. */
    String inProblem(String name);

    /** A time without a zone is UTC. */
    default Optional<Instant> time(String name) {
        return parsed(
                name,
                text -> PointInTime.parse(text, Clock.SYSTEM.now(), ZoneOffset.UTC),
                "a time: " + PointInTime.FORMS
                        + "; for example 2026-03-01T12:00:00Z, 2026-03-01 12:00 or 2026-03-01 (UTC without a zone)");
    }

    /** The times {@code since} and {@code until}. @throws HttpProblem if no time is in the range, which is a mistake */
    default TimeRange timeRange() {
        TimeRange range = new TimeRange(time("since"), time("until"));
        if (range.isEmpty()) {
            throw HttpProblem.wrong(range.problem(inProblem("since"), inProblem("until")));
        }
        return range;
    }

    default Optional<Key> key(String name) {
        return parsed(name, Key::parse, "a key: TYPE/ID, for example order/77");
    }

    default Optional<UUID> uuid(String name) {
        return parsed(
                name,
                text -> Optional.of(text).filter(UuidText::isUuid).map(UUID::fromString),
                "a UUID such as 3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a");
    }

    /** @param expected what the value must be, for the problem */
    default <T> Optional<T> parsed(String name, Function<String, Optional<T>> parser, String expected) {
        return text(name).map(text -> parser.apply(text)
                .orElseThrow(() -> HttpProblem.wrong(inProblem(name) + " must be " + expected)));
    }
}
