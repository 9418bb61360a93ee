package dev.caravan.routes.component;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import org.junit.jupiter.api.Test;

class LibFolderTest {
    @Test
    void a_file_without_permission_may_be_one_to_read_or_one_to_write() {
        assertThat(LibFolder.reason(new AccessDeniedException("/lib/a.jar")))
                .isEqualTo("this user has no permission to read or write /lib/a.jar");
        assertThat(LibFolder.reason(new FileSystemException("/lib", null, "Not a directory")))
                .isEqualTo("/lib: Not a directory");
        assertThat(LibFolder.reason(new FileSystemException("/lib"))).isEqualTo("/lib cannot be read or written");
    }
}
