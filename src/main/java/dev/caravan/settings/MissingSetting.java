package dev.caravan.settings;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Explains Camel's message about a placeholder, such as {@code {{partner.url}}}, that nothing defines. */
public final class MissingSetting {
    private static final Pattern MESSAGE = Pattern.compile(
            "Property with key \\[([^]]+)] (?:not found in properties|using function \\[env] returned null).*",
            Pattern.DOTALL);

    private MissingSetting() {}

    /** The message with what is missing and where to write it; other messages as they are. */
    public static String explained(String message) {
        Matcher missing = MESSAGE.matcher(message);
        if (!missing.find()) {
            return message;
        }
        String name = missing.group(1);
        return message.substring(0, missing.start())
                + (name.startsWith("env:")
                        ? "the environment variable " + name.substring("env:".length()) + " is not set"
                        : "the setting " + name
                                + " is missing. Write it into application.properties, or into a *.properties file in the routes folder");
    }
}
