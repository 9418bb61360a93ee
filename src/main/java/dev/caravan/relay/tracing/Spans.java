package dev.caravan.relay.tracing;

import dev.caravan.camel.outbox.Tracing;
import dev.caravan.engine.schedule.Delivery;
import dev.caravan.engine.schedule.Failure;
import dev.caravan.engine.schedule.Result;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import org.apache.camel.Message;

/**
 * Creates a span for each attempt. Its parent is the span in the header {@code traceparent} of the message; the header is
 * replaced, so that the receiver's span becomes a child. The context is passed in headers only, never through a thread, because a
 * thread serves many messages. Names and attributes follow OpenTelemetry's semantic conventions for messaging. A span contains
 * nothing of key, headers or payload.
 */
final class Spans implements Tracing {
    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
    private static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.name");
    private static final AttributeKey<String> OPERATION_TYPE = AttributeKey.stringKey("messaging.operation.type");
    private static final AttributeKey<String> SUBSCRIPTION =
            AttributeKey.stringKey("messaging.destination.subscription.name");
    private static final AttributeKey<String> MESSAGE_ID = AttributeKey.stringKey("messaging.message.id");
    private static final AttributeKey<String> TYPE = AttributeKey.stringKey("messaging.caravan.message.type");
    private static final AttributeKey<Long> OUTBOX_ID = AttributeKey.longKey("messaging.caravan.message.outbox_id");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("messaging.caravan.attempt");
    private static final AttributeKey<String> FAILURE_KIND = AttributeKey.stringKey("messaging.caravan.failure.kind");
    private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    private final Tracer tracer;
    private final TextMapPropagator propagator;

    Spans(OpenTelemetrySdk sdk) {
        tracer = sdk.getTracer("dev.caravan");
        propagator = sdk.getPropagators().getTextMapPropagator();
    }

    @Override
    public Attempt begin(String subscription, Delivery delivery, Message in) {
        Context parent = propagator.extract(Context.root(), in, Headers.GETTER);
        Span span = tracer.spanBuilder("deliver " + subscription)
                .setSpanKind(SpanKind.PRODUCER)
                .setParent(parent)
                .setAttribute(SYSTEM, "caravan")
                .setAttribute(OPERATION, "deliver")
                .setAttribute(OPERATION_TYPE, "send")
                .setAttribute(SUBSCRIPTION, subscription)
                .setAttribute(MESSAGE_ID, delivery.message().messageId().toString())
                .setAttribute(TYPE, delivery.message().type())
                .setAttribute(OUTBOX_ID, delivery.message().id())
                .setAttribute(ATTEMPT, (long) delivery.attempt())
                .startSpan();
        // the header of the writer may be invalid, or be written in another case, so that both would be sent
        propagator.fields().forEach(in::removeHeader);
        propagator.inject(parent.with(span), in, Message::setHeader);
        return result -> end(span, result);
    }

    private static void end(Span span, Result result) {
        if (result.failure() != null) {
            fail(span, result);
        }
        span.end();
    }

    private static void fail(Span span, Result result) {
        Failure failure = result.failure();
        span.setStatus(StatusCode.ERROR, failure.reason());
        span.setAttribute(ERROR_TYPE, failure.errorClass().isEmpty() ? "_OTHER" : failure.errorClass());
        span.setAttribute(FAILURE_KIND, kind(result));
    }

    /** The values of the label {@code kind} of {@code caravan_failed_attempts_total}. */
    private static String kind(Result result) {
        return switch (result.outcome()) {
            case DEAD -> "poison";
            case UNAVAILABLE -> "destination";
            case RETRY, DELIVERED -> "message";
        };
    }

    private enum Headers implements TextMapGetter<Message> {
        GETTER;

        @Override
        public Iterable<String> keys(Message in) {
            return in.getHeaders().keySet();
        }

        @Override
        public String get(Message in, String name) {
            return in.getHeader(name) instanceof String text ? text : null;
        }
    }
}
