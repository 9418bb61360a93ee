package dev.caravan.routes.component;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserJarsTest {
    private static final ClassLoader RELAY = UserJars.class.getClassLoader();

    @TempDir
    private Path lib;

    @Test
    void without_a_folder_or_jars_the_class_loader_is_that_of_the_relay() throws Exception {
        Files.writeString(lib.resolve("README.md"), "jars");
        Files.writeString(lib.resolve(".half.jar"), "a download in progress");

        assertThat(UserJars.in(lib).classLoader()).isSameAs(RELAY);
        assertThat(UserJars.in(lib.resolve("missing")).classLoader()).isSameAs(RELAY);
        assertThat(UserJars.in(lib).problems()).isEmpty();
    }

    @Test
    void a_class_of_the_relay_is_never_taken_from_a_jar() throws Exception {
        new BuiltJar()
                .source("Own", "public class Own {}")
                .file("org/apache/kafka/clients/producer/KafkaProducer.class", "not even a class")
                .file("org/slf4j/LoggerFactory.class", "not even a class")
                .in(lib, "own.jar");
        ClassLoader loader = UserJars.in(lib).classLoader();

        assertThat(loader.loadClass("shop.Own").getClassLoader()).isSameAs(loader);
        assertThat(loader.loadClass(KafkaProducer.class.getName())).isSameAs(KafkaProducer.class);
        assertThat(loader.loadClass("org.slf4j.LoggerFactory")).isSameAs(org.slf4j.LoggerFactory.class);
    }

    @Test
    void the_same_jars_are_loaded_once_and_a_replaced_jar_is_loaded_again() throws Exception {
        new BuiltJar().file("a.txt", "1").in(lib, "own.jar");
        ClassLoader first = UserJars.in(lib).classLoader();

        assertThat(UserJars.in(lib).classLoader()).isSameAs(first);
        new BuiltJar().file("a.txt", "1").file("b.txt", "2").in(lib, "own.jar");
        assertThat(UserJars.in(lib).classLoader()).isNotSameAs(first);
    }

    @Test
    void threads_that_start_meanwhile_find_the_classes() throws Exception {
        new BuiltJar().file("a.txt", "1").in(lib, "own.jar");
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        UserJars jars = UserJars.in(lib);

        try (var used = jars.use()) {
            assertThat(new Thread(() -> {}).getContextClassLoader()).isSameAs(jars.classLoader());
        }
        assertThat(Thread.currentThread().getContextClassLoader()).isSameAs(before);
    }

    @Test
    void a_jdbc_driver_is_known_to_pools_and_one_that_cannot_be_loaded_does_no_harm() throws Exception {
        new BuiltJar().shelfDriver("shop.Missing\nshop.ShelfDriver\n").in(lib, "shelf.jar");

        UserJars.in(lib).classLoader();

        assertThatThrownBy(() -> DriverManager.getConnection("jdbc:shelf:books"))
                .isInstanceOf(SQLException.class)
                .hasMessage("the shelf is empty");
    }

    @Test
    void a_jar_that_cannot_be_used_is_named_with_the_reason() throws Exception {
        Files.writeString(lib.resolve("text.jar"), "no zip");
        Files.createSymbolicLink(lib.resolve("gone.jar"), Path.of("elsewhere.jar"));
        ByteBuffer newer =
                ByteBuffer.allocate(8).putInt(0xCAFEBABE).putShort((short) 0).putShort((short) 943);
        new BuiltJar().file("shop/Future.class", newer.array()).in(lib, "future.jar");
        new BuiltJar()
                .file("META-INF/versions/943/shop/Future.class", newer.array())
                .in(lib, "for-several.jar");
        new BuiltJar().source("Own", "public class Own {}").in(lib, "own.jar");

        assertThat(UserJars.in(lib).problems())
                .hasSize(3)
                .hasEntrySatisfying(
                        "text.jar", text -> assertThat(text).contains("is not a jar, or is damaged", "Copy it again"))
                .hasEntrySatisfying(
                        "gone.jar", text -> assertThat(text).contains("a link to a file that does not exist"))
                .hasEntrySatisfying("future.jar", text -> assertThat(text)
                        .contains(
                                "was compiled for Java 899, and this is Java "
                                        + Runtime.version().feature(),
                                "Run Caravan with a newer Java"));
    }
}
