package dev.caravan.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each statement has one file, in a folder that is named after a package, and no file is unused. */
class SqlFileTest {
    private static final Path SQL = Path.of("src/main/resources/sql");
    private static final Path CODE = Path.of("src/main/java/dev/caravan");

    private static final Pattern INCLUDED = Pattern.compile("(?m)^\\\\ir ([\\w./]+)\\.sql$");

    private static final Pattern NAMED = Pattern.compile("\"([a-z]+/[a-z_]+)\"");

    @Test
    void each_folder_is_named_after_a_package() throws IOException {
        try (Stream<Path> folders = Files.list(SQL)) {
            assertThat(folders).isNotEmpty().allSatisfy(folder -> assertThat(CODE.resolve(folder.getFileName()))
                    .isDirectory());
        }
    }

    @Test
    void each_file_is_run_by_the_code_or_part_of_a_statement() throws IOException {
        Set<String> named = new TreeSet<>();
        for (Path file : files(SQL)) {
            String folder = file.getParent().getFileName() + "/";
            INCLUDED.matcher(Files.readString(file))
                    .results()
                    .forEach(part ->
                            named.add(Path.of(folder, part.group(1)).normalize().toString()));
        }
        for (Path source : files(CODE)) {
            NAMED.matcher(Files.readString(source)).results().forEach(name -> named.add(name.group(1)));
        }

        List<String> statements = files(SQL).stream()
                .map(file -> SQL.relativize(file).toString().replace(".sql", ""))
                .toList();

        assertThat(statements).isNotEmpty().isSubsetOf(named);
    }

    @Test
    void a_part_replaces_the_line_that_names_it() {
        assertThat(SqlFile.file("operate/count_replay")).doesNotContain("\\ir").contains("with candidate as (");
        assertThat(SqlFile.file("adopt/trigger_code")).doesNotContain("\\ir").contains("from pg_roles owner");
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }
}
