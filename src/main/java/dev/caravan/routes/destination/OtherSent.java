package dev.caravan.routes.destination;

import java.util.List;

/**
 * What an endpoint of another component receives, before its client converts it.
 *
 * @param uri the endpoint, with its secrets masked
 * @param headers the headers that the endpoint receives, including those that are instructions for it
 */
public record OtherSent(String uri, List<Header> headers, Bytes body) implements Sent {
    @Override
    public String kind() {
        return uri.replaceFirst(":.*", "");
    }

    @Override
    public String destination() {
        return uri;
    }
}
