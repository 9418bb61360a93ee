package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.caravan.routes.component.RelayLibraries;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The advisories in SECURITY.md are those of the versions that the relay has. */
class AdvisoriesTest {
    private static final Pattern LIBRARY = Pattern.compile("(?m)^\\|[^|]*`([\\w-]+)`\\)? \\| ([\\d.]+\\w*) \\|");
    private static final Pattern CAMEL = Pattern.compile("(?m)^### Camel ([\\d.]+):");

    private final DocsPage page = DocsPage.read("SECURITY.md");
    private final RelayLibraries relay = RelayLibraries.read();

    @Test
    void each_version_is_that_of_the_relay() {
        Map<String, String> versions = new TreeMap<>();
        relay.versions().forEach((id, version) -> versions.put(id.split(":")[1], version));

        Map<String, String> described = LIBRARY.matcher(page.text())
                .results()
                .collect(Collectors.toMap(row -> row.group(1), row -> row.group(2)));
        assertThat(described).isNotEmpty();
        assertThat(described.entrySet())
                .as("another version: look for its advisories")
                .allMatch(library -> library.getValue().equals(versions.get(library.getKey())), "has this version");
    }

    @Test
    void the_version_of_camel_is_that_of_the_relay() {
        assertThat(CAMEL.matcher(page.text()).results().map(heading -> heading.group(1)))
                .isNotEmpty()
                .allMatch(relay.camelVersion()::equals);
    }
}
