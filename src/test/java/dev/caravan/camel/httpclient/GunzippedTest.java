package dev.caravan.camel.httpclient;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GunzippedTest {
    private static final int LIMIT = 100_000;

    @Test
    void all_members_are_one_content_and_padding_is_none() throws IOException {

        assertThat(unpacked(joined(packed("one"), packed(""), packed("two"), new byte[9_000])))
                .isEqualTo("onetwo");
        assertThat(unpacked(joined(packed("a".repeat(50_000)), packed("b")))).hasSize(50_001);
        assertThat(unpacked(new byte[0])).isEmpty();
    }

    /** RFC 1952, 2.3.1. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2, 4, 8, 16, 30})
    void optional_parts_of_a_head_are_left_out(int flags) throws IOException {
        byte[] packed = packed("one");
        ByteArrayOutputStream with = new ByteArrayOutputStream();
        packed[3] = (byte) flags;
        with.write(packed, 0, 10);
        with.writeBytes((flags & 4) == 0 ? new byte[0] : new byte[] {3, 0, 1, 2, 0});
        with.writeBytes((flags & 8) == 0 ? new byte[0] : "name\0".getBytes(UTF_8));
        with.writeBytes((flags & 16) == 0 ? new byte[0] : "comment\0".getBytes(UTF_8));
        with.writeBytes((flags & 2) == 0 ? new byte[0] : new byte[2]);
        with.write(packed, 10, packed.length - 10);

        assertThat(unpacked(joined(with.toByteArray(), packed("two")))).isEqualTo("onetwo");
    }

    @Test
    void each_beginning_but_that_of_whole_members_is_cut_off() throws IOException {
        byte[] first = packed("one");
        byte[] both = joined(first, packed("two"));
        for (int length = 1; length < both.length; length++) {
            byte[] begin = Arrays.copyOf(both, length);
            if (length == first.length) {
                assertThat(unpacked(begin)).isEqualTo("one");
            } else {
                assertThatThrownBy(() -> unpacked(begin)).isInstanceOf(EOFException.class);
            }
        }
    }

    @Test
    void what_is_changed_or_no_gzip_is_not_valid() throws IOException {
        for (int changed : new int[] {0, 1, 2, packed("one").length - 8, packed("one").length - 1}) {
            byte[] packed = packed("one");
            packed[changed]++;

            assertThatThrownBy(() -> unpacked(packed)).isInstanceOf(ZipException.class);
        }
    }

    @Test
    void members_without_content_end_at_a_limit() throws IOException {
        byte[][] empty = new byte[LIMIT / 5][];
        Arrays.fill(empty, packed(""));

        assertThatThrownBy(() -> unpacked(joined(empty)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("maxAnswerBytes");
    }

    private static String unpacked(byte[] packed) throws IOException {
        try (Gunzipped in = new Gunzipped(new ByteArrayInputStream(packed), LIMIT)) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    private static byte[] packed(String content) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(content.getBytes(UTF_8));
        }
        return packed.toByteArray();
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
