package dev.caravan.routes.destination;

import java.util.List;
import java.util.Optional;

/** What a step of a route sends to a destination, as it leaves the process. */
public sealed interface Sent permits HttpSent, KafkaSent, MailSent, SqlSent, OtherSent {
    /** For example {@code http}, {@code kafka}, {@code mail}, {@code sql}, or the scheme of another endpoint. */
    String kind();

    /** The address: a URL, a topic, the recipients, a statement or an endpoint. */
    String destination();

    List<Header> headers();

    Bytes body();

    /** The body as text. */
    default String text() {
        return body().text();
    }

    /** The value of the first header with this name, ignoring case. */
    default Optional<String> header(String name) {
        return headers().stream()
                .filter(header -> header.name().equalsIgnoreCase(name))
                .map(Header::text)
                .findFirst();
    }
}
