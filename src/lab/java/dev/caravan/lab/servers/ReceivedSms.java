package dev.caravan.lab.servers;

import java.util.List;
import java.util.Map;

/**
 * An SMS that the gateway accepted.
 *
 * @param headers of the HTTP request, by name in any case
 */
public record ReceivedSms(String sid, String to, String from, String text, Map<String, List<String>> headers) {
    /** First value of a request header, empty if there is none. */
    public String header(String name) {
        return headers.getOrDefault(name, List.of("")).get(0);
    }
}
