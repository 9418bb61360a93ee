package dev.caravan.camel.guard;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.camel.Exchange;
import org.apache.camel.component.file.FileEndpoint;
import org.apache.camel.component.file.FileOperations;
import org.apache.camel.component.file.GenericFileExist;
import org.apache.camel.component.file.GenericFileOperationFailedException;

/**
 * Appends messages of an outbox to a file, each with its {@code appendChars}. A full disk or a crash can leave a part of one, or one without these
 * characters. They are written before the next one then: otherwise both would be one line, and a delivered message could not be read.
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
        if (endpoint.getFileExist() != GenericFileExist.Append
                || endpoint.getAppendChars() == null
                || !OwnExchanges.isOwn(exchange)) {
            return super.storeFile(name, exchange, size);
        }
        Path file = new File(name).toPath().toAbsolutePath().normalize();
        synchronized (LOCKS[Math.floorMod(file.hashCode(), LOCKS.length)]) {
            try {
                endLast(file);
            } catch (IOException e) {
                throw new GenericFileOperationFailedException("Cannot store file: " + file, e);
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
