package dev.caravan.camel.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.clock.Clock;
import dev.caravan.camel.FieldException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultExchange;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemplateSourceTest {
    @TempDir
    Path folder;

    private long seconds;
    private final Clock clock = () -> TimeUnit.SECONDS.toNanos(seconds);
    private Path file;

    @BeforeEach
    void write() throws Exception {
        file = folder.resolve("mail.txt");
        Files.writeString(file, "one");
    }

    private TemplateSource source() {
        return TemplateSource.of("file:mail.txt", Format.TEXT, folder, clock);
    }

    private String text(TemplateSource source) {
        return text(source, null);
    }

    private String text(TemplateSource source, String type) {
        seconds++;
        var exchange = new DefaultExchange(new DefaultCamelContext());
        exchange.getMessage().setHeader("type", type);
        return source.text(exchange);
    }

    @Test
    void a_changed_file_is_read_again() throws Exception {
        TemplateSource source = source();
        assertThat(text(source)).isEqualTo("one");

        Files.writeString(file, "two");

        assertThat(text(source)).isEqualTo("two");
    }

    @Test
    void a_file_that_is_deleted_or_becomes_wrong_leaves_its_last_version_in_use() throws Exception {
        TemplateSource source = source();

        Files.writeString(file, "${");
        assertThat(text(source)).isEqualTo("one");
        Files.delete(file);
        assertThat(text(source)).isEqualTo("one");
        Files.writeString(file, "three");
        assertThat(text(source)).isEqualTo("three");
    }

    /** A program that replaces a file empties it first, and may write it in pieces. */
    @Test
    void an_empty_file_is_never_used() throws Exception {
        TemplateSource source = source();

        Files.writeString(file, "");
        assertThat(text(source)).isEqualTo("one");
        Files.writeString(file, " \n");
        assertThat(text(source)).isEqualTo("one");
        assertThatThrownBy(this::source).hasMessageContaining("mail.txt is invalid: it is empty");
    }

    @Test
    void a_file_that_may_be_half_written_is_not_used() throws Exception {
        TemplateSource source = TemplateSource.of("file:mail.txt", Format.TEXT, folder, new Clock() {
            @Override
            public long nanos() {
                return clock.nanos();
            }

            @Override
            public long millis() {
                return 1_000_000_000_000L + seconds * 1_000;
            }
        });

        written("do not", 1);
        assertThat(text(source)).isEqualTo("one");
        written("do not pay", 2);
        assertThat(text(source)).isEqualTo("one");
        assertThat(text(source)).as("a second old").isEqualTo("do not pay");

        written("paid", 3);
        assertThat(text(source)).isEqualTo("paid");
        written("from a clock in the future", 3_600);
        assertThat(text(source)).isEqualTo("from a clock in the future");
    }

    private void written(String text, long second) throws Exception {
        Files.writeString(file, text);
        Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000_000_000L + second * 1_000));
    }

    @Test
    void a_missing_or_wrong_file_is_refused_at_first() throws Exception {
        Files.writeString(file, "a\n${b c}");
        assertThatThrownBy(this::source).hasMessageContaining("mail.txt is invalid: line 2: ");
        Files.delete(file);
        assertThatThrownBy(this::source).hasMessageContaining("The file " + file + " does not exist");
    }

    @Test
    void a_file_of_a_type_is_read_again_and_a_new_one_is_found() throws Exception {
        TemplateSource source = TemplateSource.of("file:${header.type}.txt", Format.TEXT, folder, clock);
        assertThat(text(source, "mail")).isEqualTo("one");
        assertThatThrownBy(() -> text(source, "other"))
                .isInstanceOf(FieldException.class)
                .hasMessage("There is no template file other.txt for messages of this type");

        Files.writeString(file, "two");
        Files.writeString(folder.resolve("other.txt"), "other");
        assertThat(text(source, "mail")).isEqualTo("two");
        assertThat(text(source, "other")).isEqualTo("other");

        Files.delete(file);
        assertThat(text(source, "mail")).isEqualTo("two");
    }

    @Test
    void a_file_in_mustache_may_depend_on_the_type_and_is_read_again_too() throws Exception {
        Path mustache = folder.resolve("mail.mustache");
        Files.writeString(mustache, "{{#header.type}}one {{.}}{{/header.type}}\n");
        TemplateSource source = TemplateSource.of("file:${header.type}.mustache", Format.TEXT, folder, clock);
        assertThat(text(source, "mail")).isEqualTo("one mail");

        Files.writeString(mustache, "{{#header.type}}");
        assertThat(text(source, "mail")).isEqualTo("one mail");
        assertThat(TemplateSource.of("file:${header.type}.mustache", Format.TEXT, folder, clock)
                        .problems("mail"))
                .singleElement()
                .asString()
                .contains("mail.mustache is invalid: line 1: Section missing close tag 'header.type'");
        Files.writeString(mustache, "two");
        assertThat(text(source, "mail")).isEqualTo("two");
    }
}
