package dev.caravan.routes.component;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A Maven repository to read.
 *
 * @param id of the server in {@code settings.xml} that has its login
 * @param address a URL with the scheme http, https or file; it may contain a login
 * @param mavenSettings the file {@code settings.xml}, which need not exist; empty if it is not used
 */
public record Repository(String id, URI address, Optional<Path> mavenSettings) {
    private static final String CENTRAL = "central";
    private static final String UNNAMED = "given-by-its-address";

    /** Maven Central, or its mirror according to the settings. */
    public static Repository central(Path mavenSettings) {
        return new Repository(CENTRAL, URI.create("https://repo.maven.apache.org/maven2"), Optional.of(mavenSettings));
    }

    /**
     * A repository that is read itself, not a mirror of it.
     *
     * @param text {@code URL}, or {@code ID::URL} with the id of a server in the settings
     * @throws IllegalArgumentException if the address is not a URL
     */
    public static Repository given(String text, Path mavenSettings) {
        String[] parts = text.split("::", 2);
        return new Repository(
                parts.length == 1 ? UNNAMED : parts[0],
                URI.create(parts[parts.length - 1]),
                Optional.of(mavenSettings));
    }

    /** A folder with the layout of a repository. */
    public static Repository of(Path folder) {
        return new Repository(UNNAMED, folder.toAbsolutePath().normalize().toUri(), Optional.empty());
    }

    boolean isNamed() {
        return !id.equals(UNNAMED);
    }

    boolean mayBeMirrored() {
        return id.equals(CENTRAL);
    }
}
