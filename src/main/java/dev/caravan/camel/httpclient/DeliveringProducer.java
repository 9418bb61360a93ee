package dev.caravan.camel.httpclient;

import dev.caravan.camel.KnownAnswers;
import dev.caravan.camel.guard.CutAnswer;
import dev.caravan.camel.guard.Part;
import dev.caravan.camel.headers.AnswerCharset;
import dev.caravan.camel.headers.HttpHeaderRules;
import dev.caravan.camel.headers.RowHeaders;
import dev.caravan.camel.step.SentBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.util.List;
import org.apache.camel.CamelExchangeException;
import org.apache.camel.Exchange;
import org.apache.camel.RuntimeCamelException;
import org.apache.camel.component.http.HttpConstants;
import org.apache.camel.component.http.HttpEndpoint;
import org.apache.camel.component.http.HttpMethods;
import org.apache.camel.component.http.HttpProducer;
import org.apache.camel.http.base.HttpHelper;
import org.apache.camel.http.base.HttpOperationFailedException;
import org.apache.camel.spi.HeaderFilterStrategy;
import org.apache.hc.client5.http.classic.methods.HttpUriRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpStatus;
import org.apache.hc.core5.http.Method;

/** Sends a message of the outbox as it is, and with POST unless the route sets a method. Reads the beginning of the answer. */
class DeliveringProducer extends HttpProducer {
    /** Set by a step {@code rest:}, for itself. */
    private static final List<String> HEADERS_OF_REST =
            List.of(Exchange.HTTP_METHOD, Exchange.REST_HTTP_URI, Exchange.REST_HTTP_QUERY);

    private boolean mayBeFailure;

    DeliveringProducer(HttpEndpoint endpoint) {
        super(endpoint);
    }

    @Override
    protected void doInit() throws Exception {
        super.doInit();
        mayBeFailure = getEndpoint().isThrowExceptionOnFailure()
                && KnownAnswers.includeSuccess(getEndpoint().getCamelContext());
    }

    @Override
    public void process(Exchange exchange) throws Exception {
        Object packing = exchange.getProperty(Exchange.SKIP_GZIP_ENCODING);
        if (isSentAsItIs(exchange)) {
            exchange.setProperty(Exchange.SKIP_GZIP_ENCODING, true);
        }
        Object host = exchange.getIn().getHeader(HttpConstants.HTTP_HEADER_HOST);
        boolean isHostOfOthers =
                host != null && HttpHeaderRules.isOfOthers(HttpConstants.HTTP_HEADER_HOST, host, exchange);
        if (isHostOfOthers) { // otherwise sent with preserveHostHeader
            exchange.getIn().removeHeader(HttpConstants.HTTP_HEADER_HOST);
        }
        boolean isOfRest = AddressParts.isOfRest(exchange);
        try {
            AddressParts.require(exchange, getEndpoint().getHttpUri());
            super.process(exchange);
        } finally {
            if (isOfRest) { // otherwise the next step would send with this method, or to this address
                HEADERS_OF_REST.forEach(exchange.getMessage()::removeHeader);
            }
            exchange.setProperty(Exchange.SKIP_GZIP_ENCODING, packing);
            if (isHostOfOthers) {
                exchange.getMessage().getHeaders().putIfAbsent(HttpConstants.HTTP_HEADER_HOST, host);
            }
        }
    }

    /** Whether Content-Encoding describes the body. Otherwise the route sets it to gzip so that Camel packs the body. */
    private static boolean isSentAsItIs(Exchange exchange) {
        String coding = exchange.getIn().getHeader(Exchange.CONTENT_ENCODING, String.class);
        return coding != null
                && (!PackedOnce.isGzip(coding)
                        || RowHeaders.has(exchange, Exchange.CONTENT_ENCODING, coding)
                        || exchange.getIn().getBody() instanceof byte[] bytes && isGzip(bytes));
    }

    /** Whether bytes begin with the two bytes of RFC 1952, 2.3.1. */
    private static boolean isGzip(byte[] bytes) {
        return bytes.length > 2 && bytes[0] == 0x1f && bytes[1] == (byte) 0x8b;
    }

    /** Camel guesses GET if there is a query or no body, and a GET sends no message. An enrich reads, so its guess is right. */
    @Override
    protected HttpUriRequest createMethod(Exchange exchange) throws Exception {
        HttpUriRequest guessed = super.createMethod(exchange);
        boolean isRead = !Part.isSending(exchange) && exchange.getPattern().isOutCapable();
        if (isRead || !Method.GET.isSame(guessed.getMethod()) || isChosen(exchange)) {
            return guessed;
        }
        HttpUriRequest post = HttpMethods.POST.createMethod(guessed.getUri());
        post.setEntity(createRequestEntity(exchange));
        return post;
    }

    @Override
    protected HttpEntity createRequestEntity(Exchange exchange) throws CamelExchangeException {
        Object body = exchange.getIn().getBody();
        Object sent = SentBody.of(exchange, body);
        if (sent == body) {
            return super.createRequestEntity(exchange);
        }
        exchange.getIn().setBody(sent);
        try {
            return super.createRequestEntity(exchange);
        } finally {
            exchange.getIn().setBody(body);
        }
    }

    private boolean isChosen(Exchange exchange) {
        return getEndpoint().getHttpMethod() != null
                || !getEndpoint().isSkipControlHeaders()
                        && exchange.getIn().getHeader(HttpConstants.HTTP_METHOD) != null;
    }

    /** Fails if the answer is a known one although its status is that of a success. Its body is read only if there are such known ones. */
    @Override
    protected void populateResponse(
            Exchange exchange,
            HttpUriRequest request,
            ClassicHttpResponse response,
            HeaderFilterStrategy headers,
            int status)
            throws IOException, ClassNotFoundException {
        if (mayBeFailure
                && status < HttpStatus.SC_REDIRECTION
                && response.getEntity() instanceof LimitedAnswer answer) {
            requireSuccess(exchange, request, response, answer);
        }
        super.populateResponse(exchange, request, response, headers, status);
    }

    private void requireSuccess(
            Exchange exchange, HttpUriRequest request, ClassicHttpResponse response, LimitedAnswer answer) {
        unpack(response, exchange, false);
        ReadAnswer read = read(response, answer);
        response.setEntity(read);
        String text = read.text();
        if (KnownAnswers.include(response.getCode(), text, exchange)) {
            exchange.getMessage().setHeader(HttpConstants.HTTP_RESPONSE_CODE, response.getCode());
            throw new RuntimeCamelException(new HttpOperationFailedException(
                    uri(request),
                    response.getCode(),
                    response.getReasonPhrase(),
                    null,
                    extractResponseHeaders(response.getHeaders()),
                    text));
        }
    }

    private static String uri(HttpUriRequest request) {
        try {
            return request.getUri().toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e); // it was sent to
        }
    }

    @Override
    protected Object extractResponseBody(ClassicHttpResponse response, Exchange exchange, boolean ignored)
            throws IOException, ClassNotFoundException {
        unpack(response, exchange, ignored);
        if (!response.containsHeader(HttpConstants.CONTENT_TYPE)) {
            AnswerCharset.receiveUntyped(exchange);
        }
        boolean isRead = !ignored && (!getEndpoint().isDisableStreamCache() || Part.storesAnswer(exchange));
        if (isRead && response.getEntity() instanceof LimitedAnswer answer) {
            response.setEntity(read(response, answer));
        }
        boolean isCut = !ignored
                && response.getEntity() instanceof ReadAnswer read
                && read.failure() != null
                && HttpHelper.isStatusCodeOk(response.getCode(), getEndpoint().getOkStatusCodeRange());
        return isCut
                ? new CutAnswer(((ReadAnswer) response.getEntity()).failure())
                : super.extractResponseBody(response, exchange, ignored); // of a failure, the beginning shows why
    }

    /** Instead of Camel, if the client has not done so. Camel would fail to unpack what is ignored, or packed in another way. */
    private static void unpack(ClassicHttpResponse response, Exchange exchange, boolean ignored) {
        if (!response.containsHeader(HttpConstants.CONTENT_ENCODING)) {
            return;
        }
        if (ignored || !PackedOnce.isGzip(response)) {
            exchange.setProperty(Exchange.SKIP_GZIP_ENCODING, true);
        } else if (response.getEntity() instanceof LimitedAnswer answer
                && !exchange.getProperty(Exchange.SKIP_GZIP_ENCODING, false, Boolean.class)) {
            response.removeHeaders(HttpConstants.CONTENT_ENCODING);
            answer.unpack();
        }
    }

    private static ReadAnswer read(ClassicHttpResponse response, LimitedAnswer answer) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        String failure = null;
        try (InputStream content = answer.getContent()) {
            content.transferTo(body);
        } catch (IOException e) {
            failure = e.getMessage();
        }
        return new ReadAnswer(body.toByteArray(), answer.getContentLength(), type(response), failure);
    }

    private static ContentType type(ClassicHttpResponse response) {
        Header type = response.getFirstHeader(HttpConstants.CONTENT_TYPE);
        return type == null ? null : ContentType.parseLenient(type.getValue());
    }
}
