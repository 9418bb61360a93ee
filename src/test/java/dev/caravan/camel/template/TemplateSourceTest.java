package dev.caravan.camel.template;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.caravan.base.clock.Clock;
import java.nio.file.Files;
import java.nio.file.Path;
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
        seconds++;
        return source.text(new DefaultExchange(new DefaultCamelContext()));
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

    @Test
    void a_missing_or_wrong_file_is_refused_at_first() throws Exception {
        Files.writeString(file, "a\n${b c}");
        assertThatThrownBy(this::source).hasMessageContaining("mail.txt is invalid: line 2: ");
        Files.delete(file);
        assertThatThrownBy(this::source).hasMessageContaining("The file " + file + " does not exist");
    }
}
