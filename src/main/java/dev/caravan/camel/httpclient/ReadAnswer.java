package dev.caravan.camel.httpclient;

import java.io.ByteArrayInputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;

/** The body of an answer, unpacked, in memory. */
final class ReadAnswer extends InputStreamEntity {
    private final byte[] body;
    private final String failure;

    /**
     * @param announced the length in the head of the answer
     * @param type null if the answer has none
     * @param failure why the body is not complete; null if it is
     */
    ReadAnswer(byte[] body, long announced, ContentType type, String failure) {
        super(new ByteArrayInputStream(body), announced == body.length ? announced : -1, type);
        this.body = body;
        this.failure = failure;
    }

    /** Null if the body is complete. */
    String failure() {
        return failure;
    }

    String text() {
        ContentType type = ContentType.parseLenient(getContentType());
        Charset charset = type == null ? null : type.getCharset();
        return new String(body, charset == null ? StandardCharsets.UTF_8 : charset);
    }
}
