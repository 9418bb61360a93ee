package dev.caravan.camel.httpclient;

import java.io.IOException;
import java.io.InputStream;
import org.apache.hc.client5.http.impl.io.LenientHttpResponseParser;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.HeaderElements;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.ParseException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.DefaultContentLengthStrategy;
import org.apache.hc.core5.http.io.SessionInputBuffer;
import org.apache.hc.core5.http.io.entity.InputStreamEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;
import org.apache.hc.core5.http.message.BasicLineParser;
import org.apache.hc.core5.util.CharArrayBuffer;

/**
 * Reads the heads of the answers on a connection. An answer whose headers are too long, too many or not valid has no headers, and a body that cannot
 * be read: its status says what happened to the message. Otherwise a receiver that accepts each message with such an answer would get it again and
 * again.
 */
final class AnswerHeads extends LenientHttpResponseParser {
    /** Null before the status of an answer is read. */
    private ClassicHttpResponse status;

    AnswerHeads(Http1Config limits) {
        super(BasicLineParser.INSTANCE, null, limits);
    }

    @Override
    public ClassicHttpResponse parse(SessionInputBuffer buffer, InputStream in) throws IOException, HttpException {
        status = null;
        try {
            ClassicHttpResponse answer = super.parse(buffer, in);
            if (answer != null) { // otherwise the connection has ended
                DefaultContentLengthStrategy.INSTANCE.determineLength(answer); // fails if it is not valid
            }
            return answer;
        } catch (MessageConstraintException | HttpException e) {
            if (status == null) { // or the rest of a head before the answer, such as 103
                throw e;
            }
            return new StatusOnly(
                    status,
                    "its head cannot be read: "
                            + (e instanceof ParseException ? "a line is no header" : e.getMessage()));
        }
    }

    @Override
    protected ClassicHttpResponse createMessage(CharArrayBuffer line) throws IOException {
        try {
            status = super.createMessage(line);
            return status;
        } catch (IllegalArgumentException e) { // 000
            throw new IOException("the status of the answer is not valid");
        }
    }

    /** An answer whose connection cannot be used further, because the rest of its head is not read. */
    static final class StatusOnly extends BasicClassicHttpResponse {
        private static final long serialVersionUID = 1;

        private final String reason;

        private StatusOnly(ClassicHttpResponse status, String reason) {
            super(status.getCode(), status.getReasonPhrase());
            this.reason = reason;
            setVersion(status.getVersion());
            setHeader(HttpHeaders.CONNECTION, HeaderElements.CLOSE);
        }

        /** Replaces the body, which would begin with the rest of the head. */
        void cut() {
            if (getEntity() != null) {
                setEntity(new InputStreamEntity(new PackedOnce.Unread(reason), null));
            }
        }
    }
}
