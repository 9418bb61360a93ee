package dev.caravan.cli;

import static dev.caravan.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a separate folder, with a Java that prints its arguments and a Maven that creates empty files. */
@Timeout(180)
class LauncherIT {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** A Java whose archives contain the list of classes that it got, and whose relay lists two classes and a half. */
    private static final String LISTING_JAVA = """
            for word; do
              case $word in
                -XX:SharedClassListFile=*) list=${word#*=} ;;
                -XX:SharedArchiveFile=*) archive=${word#*=} ;;
                -XX:DumpLoadedClassList=*)
                  printf 'java/lang/Object\\njava/lang/String\\njava/la' >"${word#*=}"
                  exec sleep 300
                  ;;
              esac
            done
            if [ "$1" = -Xshare:dump ]; then
              cp "$list" "$archive"
              exit
            fi
            """;

    private static final Instant PAST = Instant.parse("2020-01-01T00:00:00Z");

    @TempDir
    Path folder;

    private Path home;
    private Path elsewhere;

    @BeforeEach
    void install() throws IOException {
        home = Files.createDirectory(folder.resolve("home")).toRealPath();
        elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
        Files.copy(Path.of("caravan"), home.resolve("caravan"));
        Files.createDirectories(home.resolve("src/main"));
        Files.createDirectories(home.resolve("src/lab"));
        Files.createFile(home.resolve("pom.xml"));
        Files.writeString(home.resolve("component"), "1");
        java("17.0.1");
        script(
                "home/mvnw",
                "for lib in lib lib-lab lib-component; do mkdir -p target/$lib; echo library >target/$lib/$lib.jar; done;"
                        + " rm -f target/lib/caravan-outbox.jar; cat component >target/lib/caravan-outbox.jar;"
                        + " touch target/caravan-lab.jar; echo \"built with $(ls src/main)\" >target/caravan.jar; echo built >>builds");
    }

    @Test
    void what_is_missing_is_built_once_and_the_command_is_run() throws Exception {
        Ended first = caravan("status", "--output", "json");
        List<Path> copies = jars();
        Ended second = caravan("status");

        assertThat(first.exit).isZero();
        assertThat(first.output)
                .contains("Building Caravan (first time only", "dev.caravan.cli.Caravan status --output json")
                .contains("home=" + home)
                .doesNotContain("lib-demo");
        assertThat(second.output).doesNotContain("Building").contains("dev.caravan.cli.Caravan status");
        assertThat(jars()).isEqualTo(copies).hasSize(1);
    }

    @Test
    @Tag("long")
    void changed_sources_are_built_again_even_when_the_jar_stays_the_same() throws Exception {
        caravan("status");
        Files.setLastModifiedTime(home.resolve("target/caravan.jar"), FileTime.from(PAST));
        script(
                "home/mvnw",
                "mkdir -p target/lib target/lib-lab; touch target/lib/caravan-outbox.jar; echo built >>builds");
        Files.setLastModifiedTime(home.resolve("target/.built"), FileTime.from(PAST));
        Files.createFile(home.resolve("src/main/New.java"));

        assertThat(caravan("status").output).contains("the sources have changed");
        assertThat(caravan("status").output).doesNotContain("Building");
        assertThat(Files.readAllLines(home.resolve("builds"))).hasSize(2);
    }

    @Test
    void a_second_start_waits_for_the_build_of_the_first_one() throws Exception {
        script("home/mvnw", Files.readString(home.resolve("mvnw")) + "\nuntil [ -f go ]; do sleep 0.1; done");
        Path output = folder.resolve("first");
        Process first = start(List.of(home.resolve("caravan").toString(), "status"), Map.of(), output);
        try {
            eventually(LIMIT, () -> assertThat(home.resolve("builds")).exists());
            Process second =
                    start(List.of(home.resolve("caravan").toString(), "status"), Map.of(), folder.resolve("second"));
            eventually(LIMIT, () -> assertThat(folder.resolve("second"))
                    .content()
                    .contains("Waiting for the build of another start"));

            Files.createFile(home.resolve("go"));

            assertThat(first.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(output).content().contains("dev.caravan.cli.Caravan status");
            assertThat(folder.resolve("second")).content().contains("dev.caravan.cli.Caravan status");
            assertThat(Files.readAllLines(home.resolve("builds"))).hasSize(1);
            assertThat(home.resolve("target/.building")).doesNotExist();
        } finally {
            first.destroyForcibly();
        }
    }

    @Test
    @Tag("long")
    void the_lock_of_a_build_that_was_killed_is_removed() throws Exception {
        Process ended = new ProcessBuilder("true").start();
        ended.waitFor();
        Files.createDirectories(home.resolve("target"));
        Files.createSymbolicLink(home.resolve("target/.building"), Path.of(Long.toString(ended.pid())));

        assertThat(caravan("status").output).contains("dev.caravan.cli.Caravan status");
    }

    @Test
    void a_build_that_fails_shows_the_end_of_its_log_and_starts_nothing() throws Exception {
        script("home/mvnw", "echo 'cannot resolve x'; exit 1");

        Ended ended = caravan("run");

        assertThat(ended.exit).isEqualTo(1);
        assertThat(ended.output)
                .contains("cannot resolve x", "Could not build Caravan", "target/build.log")
                .doesNotContain("dev.caravan.cli.Caravan");
    }

    /** Adds a file after the last build. */
    private void changeSources(String file) throws IOException {
        Files.setLastModifiedTime(home.resolve("target/caravan.jar"), FileTime.from(PAST));
        Files.setLastModifiedTime(home.resolve("target/.built"), FileTime.from(PAST));
        Files.createFile(home.resolve(file));
    }

    @Test
    @Tag("long")
    void changed_sources_of_the_laboratory_are_built_again() throws Exception {
        caravan("status");
        changeSources("src/lab/New.java");

        assertThat(caravan("status").output).contains("the sources have changed");
    }

    @Test
    void an_installation_has_its_settings_in_conf_and_the_jars_of_the_user_are_not_on_the_class_path()
            throws Exception {
        Path installation = installation();
        Files.createFile(Files.createDirectory(installation.resolve("lib")).resolve("own.jar"));

        Ended ended = run(List.of(installation.resolve("bin/caravan").toString(), "demo"), Map.of());

        assertThat(ended.exit).isZero();
        assertThat(ended.output)
                .contains("home=" + installation.resolve("conf"))
                .contains("-cp " + installation + "/relay/caravan.jar:" + installation
                        + "/relay/lib/* dev.caravan.cli.Caravan demo");
    }

    @Test
    void an_archive_of_classes_is_used_only_with_the_jars_that_it_was_written_from() throws Exception {
        Path installation = installation();
        List<String> run = List.of(installation.resolve("bin/caravan").toString(), "run");

        String list = archive("DumpLoadedClassList", run(run, Map.of()).output);
        String first = list.replaceFirst("\\.jsa\\..*", ".jsa");
        Files.createFile(Path.of(first));
        String second = archive("SharedArchiveFile", run(run, Map.of()).output);
        Files.createFile(Files.createDirectory(installation.resolve("lib")).resolve("own.jar"));
        String withOwnJar = archive("SharedArchiveFile", run(run, Map.of()).output);
        Files.createFile(installation.resolve("relay/lib/other.jar"));
        String third = archive("DumpLoadedClassList", run(run, Map.of()).output);

        assertThat(first)
                .startsWith(installation + "/cache/classes-")
                .isEqualTo(second)
                .isEqualTo(withOwnJar);
        assertThat(third).doesNotStartWith(first);
    }

    @Test
    void an_archive_is_written_beside_the_first_relay_and_gets_its_name_when_it_is_complete() throws Exception {
        Path installation = installation();
        Path old = Files.createDirectories(installation.resolve("cache")).resolve("classes-1.jsa");
        Files.createFile(old);
        javaThat(LISTING_JAVA, "17.0.1");
        List<String> run = List.of(installation.resolve("bin/caravan").toString(), "run");

        Process relay = start(run, Map.of(), folder.resolve("relay"));
        try {
            eventually(LIMIT, () -> assertThat(files(installation.resolve("cache")))
                    .singleElement()
                    .satisfies(file -> {
                        assertThat(file.toString()).endsWith(".jsa").isNotEqualTo(old.toString());
                        assertThat(file).as("complete lines only").hasContent("java/lang/Object\njava/lang/String");
                    }));
        } finally {
            relay.destroyForcibly();
        }

        assertThat(archive("SharedArchiveFile", run(run, Map.of()).output))
                .isEqualTo(files(installation.resolve("cache")).get(0).toString());
    }

    @Test
    void nothing_remains_of_a_relay_that_ends_before_its_archive_is_written() throws Exception {
        Path installation = installation();
        javaThat(LISTING_JAVA, "17.0.1");

        Process relay = start(
                List.of(installation.resolve("bin/caravan").toString(), "run"), Map.of(), folder.resolve("relay"));
        eventually(LIMIT, () -> assertThat(files(installation.resolve("cache"))).isNotEmpty());
        relay.destroyForcibly();

        eventually(LIMIT, () -> assertThat(files(installation.resolve("cache"))).isEmpty());
    }

    @Test
    void a_build_does_not_change_the_jars_of_a_program_that_runs() throws Exception {
        javaThat("for word; do [ \"$word\" != run ] || exec sleep 300; done", "17.0.1");
        Process relay = start(List.of(home.resolve("caravan").toString(), "run"), Map.of(), folder.resolve("relay"));
        try {
            eventually(LIMIT, () -> assertThat(jars()).hasSize(1));
            Path used = jars().get(0);
            changeSources("src/main/New.java");

            String other = caravan("status").output;

            assertThat(other).contains("Building", "/.run/").doesNotContain(used.toString());
            assertThat(used).hasContent("built with ");
            assertThat(used.resolveSibling("lib/lib.jar")).hasContent("library");
            relay.destroyForcibly().waitFor();
            caravan("status");
            assertThat(used).doesNotExist();
            assertThat(jars()).hasSize(1);
        } finally {
            relay.destroyForcibly();
        }
    }

    @Test
    void a_build_that_changes_only_the_component_is_run() throws Exception {
        caravan("status");
        changeSources("src/lab/New.java");
        Files.writeString(home.resolve("component"), "2"); // as long as before, and perhaps in the same minute

        caravan("status");

        assertThat(jars()).singleElement().satisfies(jar -> assertThat(jar.resolveSibling("lib/caravan-outbox.jar"))
                .hasContent("2"));
    }

    @Test
    void a_clone_that_cannot_be_written_is_run_from_its_jars() throws Exception {
        caravan("status");
        deleteRecursively(home.resolve(".run"));
        Files.createFile(home.resolve(".run"));

        assertThat(caravan("status").output).contains("-cp " + home + "/target/caravan.jar:" + home + "/target/lib/*");
    }

    private List<Path> jars() throws IOException {
        return files(home.resolve(".run")).stream()
                .filter(file -> file.endsWith("caravan.jar") && !file.toString().contains("/part-"))
                .toList();
    }

    private static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    private static void deleteRecursively(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static String archive(String option, String output) {
        Matcher matcher = Pattern.compile("\\[-XX:" + option + "=(.*?)]").matcher(output);
        assertThat(matcher.find()).as(option + " in " + output).isTrue();
        return matcher.group(1);
    }

    private Path installation() throws IOException {
        Path installation =
                Files.createDirectory(folder.resolve("installation")).toRealPath();
        Files.createDirectory(installation.resolve("bin"));
        Files.createDirectories(installation.resolve("relay/lib"));
        Files.createFile(installation.resolve("relay/caravan.jar"));
        Files.copy(Path.of("caravan"), installation.resolve("bin/caravan"));
        return installation;
    }

    @Test
    void only_commands_that_start_or_list_the_laboratory_get_it() throws Exception {
        assertThat(caravan("demo", "--exit").output).contains("caravan-lab.jar", "lib-lab");
        assertThat(caravan("--config", "x", "bench", "drain").output).contains("caravan-lab.jar", "lib-lab");
        assertThat(caravan("--help").output).contains("caravan-lab.jar", "lib-lab");
        assertThat(caravan("publish", "--file", "demo").output).doesNotContain("caravan-lab.jar", "lib-lab");
        assertThat(caravan("run").output).doesNotContain("caravan-lab.jar", "lib-lab");
    }

    @Test
    void java_options_and_arguments_with_spaces_arrive() throws Exception {
        Ended ended = caravan(Map.of("JAVA_OPTS", "-Xmx256m -Da=b"), "publish", "--file", "a b");

        assertThat(ended.output).contains("[-Xmx256m]", "[-Da=b]", "[a b]");
    }

    @Test
    @Tag("long")
    void java_compiles_later_unless_an_option_says_otherwise() throws Exception {
        assertThat(caravan(Map.of("JAVA_OPTS", "-XX:CompileThresholdScaling=1"), "status").output)
                .containsSubsequence(
                        "-XX:CompileThresholdScaling=3", "-XX:CompileThresholdScaling=1"); // the last one counts
    }

    @Test
    @Tag("long")
    void only_what_runs_for_longer_is_optimized() throws Exception {
        String option = "-XX:TieredStopAtLevel=1";
        assertThat(caravan("--context", "prod", "status", "--watch").output).contains("[" + option + "]");
        assertThat(caravan("run").output).doesNotContain(option);
        assertThat(caravan("bench", "status").output).doesNotContain(option);
    }

    @Test
    @Tag("long")
    void another_collector_can_be_chosen() throws Exception {
        assertThat(caravan("status").output).contains("-XX:+UseSerialGC");
        assertThat(caravan(Map.of("JAVA_OPTS", "-Xmx4g -XX:+UseG1GC"), "status").output)
                .contains("-Xmx4g -XX:+UseG1GC")
                .doesNotContain("UseSerialGC");
        assertThat(caravan(Map.of("JAVA_TOOL_OPTIONS", "-XX:+UseZGC"), "status").output)
                .doesNotContain("UseSerialGC");
    }

    @Test
    @Tag("long")
    void it_works_through_a_symbolic_link() throws Exception {
        Path link = Files.createSymbolicLink(elsewhere.resolve("link"), Path.of("../home/caravan"));

        Ended ended = run(List.of(link.toString(), "status"), Map.of());

        assertThat(ended.exit).isZero();
        assertThat(ended.output).contains("home=" + home);
    }

    @Test
    void an_old_java_is_refused() throws Exception {
        java("11.0.2");

        Ended ended = caravan("run");

        assertThat(ended.exit).isEqualTo(1);
        assertThat(ended.output).contains("is version 11, must be 17 or newer");
    }

    @Test
    void a_wrong_java_home_is_refused() throws Exception {
        Ended ended = caravan(Map.of("JAVA_HOME", "/nowhere"), "run");

        assertThat(ended.exit).isEqualTo(1);
        assertThat(ended.output).contains("JAVA_HOME is /nowhere");
    }

    private void java(String version) throws IOException {
        javaThat("", version);
    }

    private void javaThat(String first, String version) throws IOException {
        script(
                "java/bin/java",
                first + "\nif [ \"$1\" = -version ]; then echo 'openjdk version \"" + version + "\"' >&2; exit; fi\n"
                        + "echo \"home=$CARAVAN_HOME\"; echo \"$@\"; printf '[%s]' \"$@\"");
        script("java/bin/javac", "true");
    }

    private void script(String path, String body) throws IOException {
        Path script = folder.resolve(path);
        Files.createDirectories(script.getParent());
        Files.writeString(script, "#!/usr/bin/env bash\n" + body + "\n");
        script.toFile().setExecutable(true);
    }

    private Ended caravan(String... args) throws Exception {
        return caravan(Map.of(), args);
    }

    private Ended caravan(Map<String, String> environment, String... args) throws Exception {
        List<String> command = new ArrayList<>(List.of(home.resolve("caravan").toString()));
        command.addAll(List.of(args));
        return run(command, environment);
    }

    private Ended run(List<String> command, Map<String, String> environment) throws Exception {
        Process process = start(command, environment, folder.resolve("output"));
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return new Ended(process.exitValue(), Files.readString(folder.resolve("output")));
    }

    private Process start(List<String> command, Map<String, String> environment, Path output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(elsewhere.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().remove("CARAVAN_HOME");
        builder.environment().remove("JAVA_OPTS");
        builder.environment().put("JAVA_HOME", folder.resolve("java").toString());
        builder.environment().putAll(environment);
        return builder.start();
    }

    private record Ended(int exit, String output) {}
}
