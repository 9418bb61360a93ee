package dev.caravan.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import dev.caravan.routes.component.FileRepository;
import dev.caravan.routes.component.RepositoryServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sonatype.plexus.components.cipher.DefaultPlexusCipher;

/** {@code component add} from repositories that need a login, a mirror or a proxy, as Maven's settings.xml describes them. */
class ComponentLoginTest {
    private static final String LOGIN_OF_ANN = "Basic " + Base64.getEncoder().encodeToString("ann:secret".getBytes());
    private static final Predicate<Headers> LOGIN = request -> LOGIN_OF_ANN.equals(request.getFirst("Authorization"));
    private static final String SERVER =
            "<servers><server><id>company</id><username>ann</username><password>%s</password>" + "</server></servers>";
    private static final String MIRROR =
            "<mirrors><mirror><id>company</id><mirrorOf>central</mirrorOf><url>%s</url>" + "</mirror></mirrors>";

    @TempDir
    private Path folder;

    private FileRepository repository;
    private Path settings;

    @BeforeEach
    void prepare() throws IOException {
        Files.createDirectory(folder.resolve("routes"));
        Files.writeString(folder.resolve("application.properties"), "");
        settings = folder.resolve("settings.xml");
        repository =
                new FileRepository(Files.createDirectory(folder.resolve("repository"))).with("com.example:wire:1.0");
    }

    @Test
    void a_mirror_of_maven_central_is_read_with_its_login() throws Exception {
        try (var server = new RepositoryServer(repository, LOGIN)) {
            settings(MIRROR.formatted(server.url()) + SERVER.formatted("secret"));

            assertThat(add().err()).isEmpty();
        }
        assertThat(folder.resolve("lib/wire-1.0.jar")).exists();
    }

    @Test
    void a_password_is_decrypted_with_the_master_password_beside_the_settings() throws Exception {
        var cipher = new DefaultPlexusCipher();
        try (var server = new RepositoryServer(repository, LOGIN)) {
            settings(MIRROR.formatted(server.url())
                    + SERVER.formatted(cipher.encryptAndDecorate("secret", "the master password")));

            assertThat(add().assertFailed(
                                    "Could not decrypt the password of server company in " + settings,
                                    folder.resolve("settings-security.xml").toString(),
                                    "Nothing was changed",
                                    "${env.NAME}")
                            .err())
                    .doesNotContain("secret", "Exception");

            Files.writeString(
                    folder.resolve("settings-security.xml"),
                    "<settingsSecurity><master>"
                            + cipher.encryptAndDecorate("the master password", "settings.security")
                            + "</master></settingsSecurity>");
            assertThat(add().err()).isEmpty();
        }
    }

    @Test
    void a_missing_login_and_a_wrong_one_are_refused_with_the_place_for_it() throws Exception {
        try (var server = new RepositoryServer(repository, LOGIN)) {
            settings(MIRROR.formatted(server.url()));
            CommandRun missing = add();
            settings(MIRROR.formatted(server.url()) + SERVER.formatted("guess"));
            CommandRun wrong = add();

            for (CommandRun refused : List.of(missing, wrong)) {
                assertThat(refused.assertFailed(
                                        "Could not add com.example:wire:1.0",
                                        "401",
                                        "Nothing was changed",
                                        "Add the login to " + settings + ", as the server with the id company")
                                .err())
                        .doesNotContain("guess");
            }
        }
        assertThat(folder.resolve("lib")).doesNotExist();
    }

    @Test
    void a_repository_that_is_named_is_not_replaced_and_gets_the_login_of_its_id() throws Exception {
        try (var server = new RepositoryServer(repository, LOGIN)) {
            settings(MIRROR.formatted("http://localhost:1").replace("central", "*") + SERVER.formatted("secret"));

            assertThat(add("--repository", "company::" + server.url()).err()).isEmpty();
            assertThat(add("--repository", server.url()).err())
                    .contains("401", "--repository ID::URL", settings.toString());
        }
    }

    @Test
    void a_token_is_sent_in_the_header_that_the_settings_name() throws Exception {
        try (var server = new RepositoryServer(repository, request -> "t0ken".equals(request.getFirst("Job-Token")))) {
            settings(MIRROR.formatted(server.url())
                    + "<servers><server><id>company</id><configuration><httpHeaders><property><name>Job-Token</name>"
                    + "<value>t0ken</value></property></httpHeaders></configuration></server></servers>");

            assertThat(add().err()).isEmpty();
        }
    }

    @Test
    void an_active_proxy_is_used() throws Exception {
        try (var server = new RepositoryServer(repository, request -> true)) {
            settings("<proxies><proxy><id>out</id><protocol>http</protocol><host>localhost</host><port>" + server.port()
                    + "</port></proxy></proxies>");

            assertThat(add("--repository", "http://repository.invalid").err()).isEmpty();
        }
    }

    @Test
    void settings_that_cannot_be_read_are_named_with_the_line() throws Exception {
        Files.writeString(settings, "<settings>\n<password>secret</mirrors>\n</settings>");

        assertThat(add().assertFailed("Could not read " + settings, "line 2", "Nothing was changed", "--maven-settings")
                        .err())
                .doesNotContain("secret");
        assertThat(add("--maven-settings", folder.resolve("none.xml").toString())
                        .err())
                .contains("none.xml is not a file");
    }

    private void settings(String content) throws IOException {
        Files.writeString(settings, "<settings>" + content + "</settings>");
    }

    private CommandRun add(String... more) {
        List<String> arguments = new ArrayList<>(List.of("component", "add", "com.example:wire:1.0"));
        arguments.addAll(
                List.of("--config", folder.resolve("application.properties").toString()));
        arguments.addAll(List.of(more));
        if (!arguments.contains("--maven-settings")) {
            arguments.addAll(List.of("--maven-settings", settings.toString()));
        }
        return CommandRun.of(arguments.toArray(new String[0]));
    }
}
