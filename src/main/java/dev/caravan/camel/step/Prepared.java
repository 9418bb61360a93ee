package dev.caravan.camel.step;

import java.util.Map;

/**
 * What is sent instead of a message.
 *
 * @param headers all headers, including those that control Camel's component
 */
public record Prepared(Map<String, Object> headers, Object body) {}
