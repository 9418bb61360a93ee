package dev.caravan.camel.guard;

import dev.caravan.camel.FieldException;
import dev.caravan.camel.step.SentBody;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.StreamCache;
import org.apache.camel.component.file.FileEndpoint;
import org.apache.camel.component.file.FileOperations;
import org.apache.camel.component.file.GenericFileExist;
import org.apache.camel.component.file.GenericFileOperationFailedException;
import org.apache.camel.support.ExchangeHelper;

/**
 * Writes messages to a file as a whole. A text that the option {@code charset} cannot write fails before the file is opened: Camel would leave a
 * part of it there. Of all routes, one at a time appends to a file.
 *
 * <p>A full disk or a crash can leave a part of a message, or one without its {@code appendChars}. They are written before the next one then:
 * otherwise both would be one line, and a delivered message could not be read.
 */
final class WholeEntries extends FileOperations {
    /** Of all endpoints, because two may write to one file. Camel's lock is that of one step. */
    private static final Object[] LOCKS = Stream.generate(Object::new).limit(64).toArray();

    private final FileEndpoint endpoint;

    WholeEntries(FileEndpoint endpoint) {
        super(endpoint);
        this.endpoint = endpoint;
    }

    @Override
    public boolean storeFile(String name, Exchange exchange, long size) {
        if (!OwnExchanges.isOwn(exchange)) {
            return store(name, exchange, size);
        }
        Object body = exchange.getIn().getBody();
        Object written = written(exchange, body);
        if (written == body) {
            return store(name, exchange, size);
        }
        exchange.getIn().setBody(written);
        try {
            return store(name, exchange, size);
        } finally {
            exchange.getIn().setBody(body);
        }
    }

    /** A value of JSON as text, and with the option {@code charset} the text of bytes, which Camel would damage if they are none. */
    private Object written(Exchange exchange, Object body) {
        Object sent = SentBody.of(exchange, body);
        boolean isText = sent instanceof String || sent instanceof byte[] || sent instanceof StreamCache;
        if (endpoint.getCharset() == null || !isText) {
            return sent;
        }
        String text = sent instanceof String string ? string : decoded(exchange, sent);
        if (!Charset.forName(endpoint.getCharset()).newEncoder().canEncode(text)) {
            throw new FieldException(
                    "The message has a character that the step file: cannot write, because of its option charset="
                            + endpoint.getCharset() + ": set it to utf-8");
        }
        return text;
    }

    private static String decoded(Exchange exchange, Object body) {
        Charset charset = ExchangeHelper.getCharset(exchange);
        byte[] bytes = SentBody.bytes(exchange, body);
        if (body instanceof StreamCache stream) {
            stream.reset();
        }
        try {
            return charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new FieldException(
                    "The bytes of the message are no text in " + charset + ", so the step file: would damage"
                            + " them: remove its option charset, and it writes them as they are");
        }
    }

    private boolean store(String name, Exchange exchange, long size) {
        if (endpoint.getFileExist() != GenericFileExist.Append) {
            return super.storeFile(name, exchange, size);
        }
        Path file = new File(name).toPath().toAbsolutePath().normalize();
        synchronized (LOCKS[Math.floorMod(file.hashCode(), LOCKS.length)]) {
            if (endpoint.getAppendChars() != null && OwnExchanges.isOwn(exchange)) {
                try {
                    endLast(file);
                } catch (IOException e) {
                    throw new GenericFileOperationFailedException("Cannot store file: " + file, e);
                }
            }
            return super.storeFile(name, exchange, size);
        }
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
