package dev.caravan.console.identity;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** A browser that stores cookies and follows redirects when told to. */
final class Browser {
    private static final ObjectMapper JSON = new ObjectMapper();

    final Map<String, String> cookies = new LinkedHashMap<>();
    private final HttpClient client = HttpClient.newHttpClient();

    HttpResponse<String> get(String address, String... headers) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(address)), headers);
    }

    HttpResponse<String> post(String address, String... headers) throws Exception {
        return send(HttpRequest.newBuilder(URI.create(address)).POST(BodyPublishers.ofString("{}")), headers);
    }

    private HttpResponse<String> send(HttpRequest.Builder request, String... headers) throws Exception {
        if (!cookies.isEmpty()) {
            request.header(
                    "Cookie",
                    cookies.entrySet().stream()
                            .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                            .collect(Collectors.joining("; ")));
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
        for (String cookie : response.headers().allValues("Set-Cookie")) {
            String[] pair = cookie.split(";")[0].split("=", 2);
            if (cookie.contains("Max-Age=0")) {
                cookies.remove(pair[0]);
            } else {
                cookies.put(pair[0], pair[1]);
            }
        }
        return response;
    }

    static String location(HttpResponse<String> response) {
        return response.headers().firstValue("Location").orElseThrow(() -> new AssertionError(response.body()));
    }

    static JsonNode json(HttpResponse<String> response) throws Exception {
        return JSON.readTree(response.body());
    }
}
