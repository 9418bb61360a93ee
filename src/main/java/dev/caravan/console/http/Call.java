package dev.caravan.console.http;

import dev.caravan.base.text.NearestName;
import dev.caravan.operate.audit.Actor;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A request to an operation: the values in its path, query and body. Values are parsed on access. A value that cannot be parsed
 * throws an {@link HttpProblem} that names it.
 */
public final class Call implements Values {
    private static final Pattern NUMBER = Pattern.compile("\\d{1,19}");
    private static final int MAX_TEXT_LENGTH = 1_000;

    private final Map<String, String> path;
    private final Map<String, String> query;
    private final Body body;
    private final Caller caller;
    private final String outbox;
    private final boolean changes;

    Call(
            Map<String, String> path,
            Map<String, String> query,
            Body body,
            Caller caller,
            String outbox,
            boolean changes) {
        this.changes = changes;
        this.path = path;
        this.query = query;
        this.body = body;
        this.caller = caller;
        this.outbox = outbox;
    }

    /** Whether the operation makes a change. */
    public boolean changes() {
        return changes;
    }

    public Caller caller() {
        return caller;
    }

    /** The role of the caller in the outbox of the request. */
    public Role role() {
        return caller.in(outbox);
    }

    /** @throws HttpProblem unless the role of the caller in the outbox of the request includes this one */
    public void require(Role needed) {
        caller.require(needed, outbox);
    }

    public Body body() {
        return body;
    }

    /** A value in the path. */
    public String path(String name) {
        return storable(name, path.get(name));
    }

    /** An id in the path. */
    public long pathId(String name) {
        return number(name, path.get(name), 0, Long.MAX_VALUE);
    }

    @Override
    public String inProblem(String name) {
        return name;
    }

    @Override
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

    /** The largest number of items of a list. */
    public int limit() {
        return (int) numberOr("limit", 50, 1, 1_000);
    }

    /**
     * The person who makes the change and the reason, from the fields {@code by} and {@code reason} of the body. A person whose name
     * is known cannot use another one.
     */
    public Actor actor() {
        Optional<String> by = body.text("by").map(String::strip);
        caller.name().ifPresent(name -> {
            if (by.isPresent() && !by.get().equals(name)) {
                throw HttpProblem.wrong("by must be " + name
                        + ", because you are signed in with this name; leave it out." + " Nothing was changed.");
            }
        });
        return new Actor(
                caller.name().or(() -> by).orElse("console (" + role() + ")"),
                caller.via(),
                body.text("reason").map(String::strip));
    }

    /** Like {@link #actor()}, for changes that require a reason. */
    public Actor actorWithReason() {
        Actor actor = actor();
        if (actor.reason().isEmpty()) {
            throw HttpProblem.wrong("reason is missing; the audit requires it. Nothing was changed.");
        }
        return actor;
    }

    static long number(String name, String text, long min, long max) {
        if (NUMBER.matcher(text).matches()) {
            try {
                long number = Long.parseLong(text);
                if (number >= min && number <= max) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // larger than a long: reported below as out of range
            }
        }
        throw HttpProblem.wrong(name + " must be a number between " + min + " and " + max);
    }

    private static boolean flag(String name, String text) {
        if (text.equals("true") || text.equals("false")) {
            return Boolean.parseBoolean(text);
        }
        throw HttpProblem.wrong(name + " must be true or false");
    }

    /** Returns the text unchanged. @throws HttpProblem when it is too long or Postgres cannot store it */
    public static String storable(String name, String text) {
        if (text.length() > MAX_TEXT_LENGTH) {
            throw HttpProblem.wrong(name + " must not be longer than " + MAX_TEXT_LENGTH + " characters");
        }
        if (text.indexOf('\0') >= 0) {
            throw HttpProblem.wrong(name + " contains a NUL character, which Postgres cannot store");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw HttpProblem.wrong(name + " contains an unpaired surrogate, which UTF-8 cannot encode");
        }
        return text;
    }

    /** Refuses unknown names, because a mistyped filter would otherwise select everything. */
    static void requireKnown(Collection<String> given, Collection<String> known, String kind) {
        List<String> unknown =
                given.stream().filter(name -> !known.contains(name)).sorted().toList();
        if (!unknown.isEmpty()) {
            String name = unknown.get(0);
            throw HttpProblem.wrong("There is no " + kind + " " + shortened(name)
                    + NearestName.suggestion(
                            name,
                            known,
                            known.isEmpty() ? " for this operation" : "; known are " + String.join(", ", known)));
        }
    }

    private static String shortened(String name) {
        String plain = name.replaceAll("\\p{Cc}", " ");
        return plain.length() <= 50 ? plain : plain.substring(0, 50) + "…";
    }
}
