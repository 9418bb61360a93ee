package dev.caravan.routes.destination;

import java.util.List;
import java.util.stream.Collectors;

/**
 * A statement for a database.
 *
 * @param parameters their values, null for the value NULL
 */
public record SqlSent(String statement, List<Object> parameters) implements Sent {
    @Override
    public String kind() {
        return "sql";
    }

    @Override
    public String destination() {
        return statement;
    }

    @Override
    public List<Header> headers() {
        return List.of();
    }

    /** The parameters, one per line. */
    @Override
    public Bytes body() {
        return Bytes.of(parameters.stream().map(SqlSent::text).collect(Collectors.joining("\n")));
    }

    public static String text(Object parameter) {
        return parameter instanceof byte[] bytes ? new Bytes(bytes).shown() : String.valueOf(parameter);
    }
}
