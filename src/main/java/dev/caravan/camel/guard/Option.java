package dev.caravan.camel.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An option of a step, or a parameter of a receiver, as a route writes it in a query.
 *
 * @param given the name with its equals sign; empty for a part of the query without one
 * @param value also in {@code RAW()}
 */
record Option(FilledText given, FilledText value) {
    private static final Pattern OPTION =
            Pattern.compile("\\G([^=&]*=)?+(RAW\\(.*?\\)(?=&|$)|RAW\\{.*?}(?=&|$)|[^&]*)(?:&|$)", Pattern.DOTALL);

    static List<Option> all(FilledText query) {
        List<Option> options = new ArrayList<>();
        Matcher each = OPTION.matcher(query.text());
        while (each.find() && each.start() < query.text().length()) {
            options.add(new Option(query.part(each.start(), each.start(2)), query.part(each.start(2), each.end(2))));
        }
        return options;
    }

    /** The query with each value as Camel must get it. What has no name is sent as it is. */
    static String join(List<Option> options, Function<Option, String> sent) {
        return options.stream()
                .map(option -> option.given.whole()
                        + (option.given.text().isEmpty() ? option.value.whole() : sent.apply(option)))
                .collect(Collectors.joining("&"));
    }

    /** Empty if there is none. */
    String name() {
        String name = given.whole();
        return name.isEmpty() ? "" : AddressValues.decoded(name.substring(0, name.length() - 1));
    }

    /** Refuses a value that makes several options of one. A value that is all of it may be several. */
    void requireOne() {
        AddressTemplate.requireNone(given, AddressTemplate.NOT_IN_NAME);
        if (given.text().isEmpty() && !value.isValue()) {
            AddressTemplate.requireNone(value, AddressTemplate.AND_OR_EQUALS);
        }
    }
}
