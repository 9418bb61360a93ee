package dev.caravan.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What users may rely on is as it was recorded in docs/public-api. */
class PublicApiIT {
    private static final Path RECORDED = Path.of("docs/public-api");
    private static final Path NOW = Path.of("target/public-api");

    @ParameterizedTest
    @EnumSource
    void a_part_of_the_public_api_is_as_recorded(PublicApi part) throws Exception {
        List<String> now = part.lines();
        Path recorded = RECORDED.resolve(part.file());
        Path written = Files.write(Files.createDirectories(NOW).resolve(part.file()), now);

        assertThat(difference(recorded, now))
                .as(
                        "%s differs from the program. A line that is gone or changed breaks somebody who uses it: add the new"
                                + " one first, and keep the old one until the next version that may break (%s/README.md). If the"
                                + " change is intended: cp %s %s, and write a line in CHANGELOG.md",
                        recorded, RECORDED, written, recorded)
                .isEmpty();
    }

    @Test
    void each_recorded_list_is_checked() throws IOException {
        try (var files = Files.list(RECORDED)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".txt")))
                    .hasSameElementsAs(Set.of(PublicApi.values()).stream()
                            .map(PublicApi::file)
                            .toList());
        }
    }

    private static String difference(Path recorded, List<String> now) throws IOException {
        List<String> before = Files.exists(recorded) ? Files.readAllLines(recorded) : List.of();
        return lines("gone or changed: ", before, now) + lines("new: ", now, before);
    }

    private static String lines(String sign, List<String> of, List<String> without) {
        Set<String> lines = new TreeSet<>(of);
        without.forEach(lines::remove);
        return lines.stream().map(line -> sign + line + "\n").collect(Collectors.joining());
    }
}
