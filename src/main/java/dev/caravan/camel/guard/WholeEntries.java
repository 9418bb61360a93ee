package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import dev.caravan.camel.step.SentBody;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.apache.camel.Exchange;
import org.apache.camel.component.file.FileEndpoint;
import org.apache.camel.component.file.FileOperations;
import org.apache.camel.component.file.GenericFileExist;
import org.apache.camel.component.file.GenericFileOperationFailedException;

/**
 * Writes messages to a file as a whole. A text that the option {@code charset} cannot write fails before the file is opened: Camel would leave a
 * part of it there. Of all routes, one at a time writes to a file.
 *
 * <p>A full disk or a crash can leave a part of a message, or one without its {@code appendChars}. They are written before the next one then:
 * otherwise both would be one line, and a delivered message could not be read.
 */
final class WholeEntries extends FileOperations {
    private final FileEndpoint endpoint;

    WholeEntries(FileEndpoint endpoint) {
        super(endpoint);
        this.endpoint = endpoint;
    }

    @Override
    public boolean storeFile(String name, Exchange exchange, long size) {
        Path file = Path.of(name).toAbsolutePath().normalize();
        synchronized (("caravan:" + file).intern()) { // of all endpoints: Camel's lock is that of one step
            return OwnExchanges.isOwn(exchange)
                    ? storeWhole(file, name, exchange, size)
                    : super.storeFile(name, exchange, size);
        }
    }

    private boolean storeWhole(Path file, String name, Exchange exchange, long size) {
        Object body = exchange.getIn().getBody();
        exchange.getIn().setBody(written(exchange, body));
        try {
            if (endpoint.getFileExist() == GenericFileExist.Append && endpoint.getAppendChars() != null) {
                endLast(file);
            }
            return super.storeFile(name, exchange, size);
        } catch (IOException e) {
            throw new GenericFileOperationFailedException("Cannot store file: " + file, e);
        } finally {
            exchange.getIn().setBody(body);
        }
    }

    /** A value of JSON as text, and with the option {@code charset} the text of anything, which Camel would damage if it is none. */
    private Object written(Exchange exchange, Object body) {
        if (endpoint.getCharset() == null || body == null) {
            return SentBody.of(exchange, body);
        }
        String text = SentBody.text(exchange);
        if (!Charset.forName(endpoint.getCharset()).newEncoder().canEncode(text)) {
            throw new FieldException(
                    "The message has a character that the step file: cannot write, because of its option charset="
                            + endpoint.getCharset() + ": set it to utf-8");
        }
        return text;
    }

    private void endLast(Path path) throws IOException {
        if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
            return;
        }
        byte[] end = end();
        byte[] last;
        try (var file = new RandomAccessFile(path.toFile(), "r")) {
            last = new byte[(int) Math.min(file.length(), end.length)];
            file.seek(file.length() - last.length);
            file.readFully(last);
        }
        if (last.length > 0 && !Arrays.equals(last, end)) {
            Files.write(path, end, StandardOpenOption.APPEND);
        }
    }

    /** The bytes of the characters, without those with which a text in the charset begins. */
    private byte[] end() {
        Charset charset =
                endpoint.getCharset() == null ? StandardCharsets.UTF_8 : Charset.forName(endpoint.getCharset());
        byte[] text = (" " + endpoint.getAppendChars()).getBytes(charset);
        return Arrays.copyOfRange(text, " ".getBytes(charset).length, text.length);
    }
}
