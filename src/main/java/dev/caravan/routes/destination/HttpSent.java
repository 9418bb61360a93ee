package dev.caravan.routes.destination;

import java.util.List;

/** An HTTP request. */
public record HttpSent(String method, String url, List<Header> headers, Bytes body) implements Sent {
    @Override
    public String kind() {
        return "http";
    }

    @Override
    public String destination() {
        return method + " " + url;
    }
}
