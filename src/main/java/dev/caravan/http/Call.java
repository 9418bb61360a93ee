package dev.caravan.http;

import dev.caravan.audit.Actor;
import dev.caravan.delivery.Key;
import dev.caravan.text.NearestName;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * What somebody asks for: the operation, with the values in its path, its query and its body. Values are read with their
 * kind; what is wrong is told with the name of the value.
 */
public final class Call {
    private static final Pattern NUMBER = Pattern.compile("\\d{1,19}");
    private static final Pattern UUID_FORM =
            Pattern.compile("[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}");
    private static final int LONGEST_TEXT = 1_000;

    private final Map<String, String> path;
    private final Map<String, String> query;
    private final Body body;
    private final Role role;

    Call(Map<String, String> path, Map<String, String> query, Body body, Role role) {
        this.path = path;
        this.query = query;
        this.body = body;
        this.role = role;
    }

    public Role role() {
        return role;
    }

    public Body body() {
        return body;
    }

    /** A value of the path. */
    public String path(String name) {
        return storable(name, path.get(name));
    }

    /** An id in the path. */
    public long pathId(String name) {
        return number(name, path.get(name), 0, Long.MAX_VALUE);
    }

    public Optional<String> text(String name) {
        return Optional.ofNullable(query.get(name))
                .filter(text -> !text.isEmpty())
                .map(text -> storable(name, text));
    }

    public long numberOr(String name, long fallback, long min, long max) {
        return text(name).map(text -> number(name, text, min, max)).orElse(fallback);
    }

    public Optional<Long> id(String name) {
        return text(name).map(text -> number(name, text, 0, Long.MAX_VALUE));
    }

    public boolean flag(String name) {
        return text(name).map(text -> flag(name, text)).orElse(false);
    }

    public Optional<Instant> time(String name) {
        return text(name).map(text -> time(name, text));
    }

    public Optional<Key> key(String name) {
        return text(name).map(text -> key(name, text));
    }

    public Optional<UUID> uuid(String name) {
        return text(name).map(text -> {
            if (!UUID_FORM.matcher(text).matches()) {
                throw HttpProblem.wrong(name + " must be a UUID such as 3f0c1f4e-8d7b-4a52-9c3e-0f5f6f3c2b1a");
            }
            return UUID.fromString(text);
        });
    }

    /** Who asks for a change, and why, as the body says. */
    public Actor signature() {
        return new Actor(
                body.text("by").map(String::strip).orElse("console (" + role + ")"),
                body.text("reason").map(String::strip));
    }

    /** The same for changes that need a reason. */
    public Actor signatureWithReason() {
        Actor signature = signature();
        if (signature.reason().isEmpty()) {
            throw HttpProblem.wrong("reason is missing: say why, for the audit. Nothing was changed.");
        }
        return signature;
    }

    static long number(String name, String text, long min, long max) {
        if (NUMBER.matcher(text).matches()) {
            try {
                long number = Long.parseLong(text);
                if (number >= min && number <= max) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // beyond long: told like other numbers out of range
            }
        }
        throw HttpProblem.wrong(name + " must be a number between " + min + " and " + max);
    }

    public static boolean flag(String name, String text) {
        if (text.equals("true") || text.equals("false")) {
            return Boolean.parseBoolean(text);
        }
        throw HttpProblem.wrong(name + " must be true or false");
    }

    public static Instant time(String name, String text) {
        try {
            Instant time = OffsetDateTime.parse(text).toInstant();
            if (time.isAfter(Instant.EPOCH) && time.isBefore(Instant.parse("9999-01-01T00:00:00Z"))) {
                return time;
            }
        } catch (DateTimeException e) {
            // told below, together with times out of range
        }
        throw HttpProblem.wrong(name + " must be a time with its zone, such as 2026-03-01T12:00:00Z");
    }

    public static Key key(String name, String text) {
        int slash = text.indexOf('/');
        if (slash <= 0 || slash == text.length() - 1) {
            throw HttpProblem.wrong(name + " must be a key: TYPE/ID, for example order/77");
        }
        return new Key(text.substring(0, slash), text.substring(slash + 1));
    }

    public static String storable(String name, String text) {
        if (text.length() > LONGEST_TEXT) {
            throw HttpProblem.wrong(name + " must not be longer than " + LONGEST_TEXT + " characters");
        }
        if (text.indexOf('\0') >= 0) {
            throw HttpProblem.wrong(name + " holds a zero character, which Postgres cannot store");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw HttpProblem.wrong(name + " holds half of a surrogate pair");
        }
        return text;
    }

    /** Refuses names that nobody reads: a mistyped filter must not select everything. */
    static void requireKnown(Collection<String> given, Collection<String> known, String kind) {
        List<String> unknown =
                given.stream().filter(name -> !known.contains(name)).sorted().toList();
        if (!unknown.isEmpty()) {
            String name = unknown.get(0);
            throw HttpProblem.wrong("There is no " + kind + " " + shortened(name)
                    + NearestName.to(name, known)
                            .map(near -> ", did you mean " + near + "?")
                            .orElse(known.isEmpty() ? " here" : "; known are " + String.join(", ", known)));
        }
    }

    private static String shortened(String name) {
        String plain = name.replaceAll("\\p{Cntrl}", " ");
        return plain.length() <= 50 ? plain : plain.substring(0, 50) + "…";
    }
}
