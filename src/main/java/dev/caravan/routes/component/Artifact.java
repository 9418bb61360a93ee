package dev.caravan.routes.component;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A jar in a Maven repository.
 *
 * @param classifier empty for the main jar of the artifact
 */
public record Artifact(String group, String name, String version, String classifier) {
    private static final String CAMEL = "org.apache.camel";
    private static final Pattern COORDINATES =
            Pattern.compile("([A-Za-z0-9_.-]+):([A-Za-z0-9_.-]+):([A-Za-z0-9_.+-]+)");
    private static final Pattern COMPONENT = Pattern.compile("(?:camel-)?([a-z0-9][a-z0-9-]*)");

    /**
     * @param text {@code aws2-sqs} for {@code camel-aws2-sqs} in this version of Camel, or {@code group:artifact:version}
     * @throws ComponentRefusal if it is neither
     */
    public static Artifact named(String text, String camelVersion) {
        Matcher component = COMPONENT.matcher(text);
        if (component.matches()) {
            return new Artifact(CAMEL, "camel-" + component.group(1), camelVersion, "");
        }
        Matcher coordinates = COORDINATES.matcher(text);
        if (coordinates.matches()) {
            return new Artifact(coordinates.group(1), coordinates.group(2), coordinates.group(3), "");
        }
        throw new ComponentRefusal(text + " is neither the name of a Camel component, such as aws2-sqs, nor"
                + " group:artifact:version. Nothing was changed.");
    }

    /** The name under which it is added: {@code aws2-sqs}, or {@code group:artifact}. */
    public String component() {
        return group.equals(CAMEL) && name.startsWith("camel-")
                ? name.substring("camel-".length())
                : group + ":" + name;
    }

    /** The coordinates without the version: artifacts with the same id are versions of one artifact. */
    public String id() {
        return group + ":" + name + (classifier.isEmpty() ? "" : ":" + classifier);
    }

    String fileName() {
        return name + "-" + version + (classifier.isEmpty() ? "" : "-" + classifier) + ".jar";
    }

    @Override
    public String toString() {
        return id() + ":" + version;
    }
}
