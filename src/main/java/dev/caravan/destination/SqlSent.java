package dev.caravan.destination;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A statement for a database.
 *
 * @param parameters their values, null for the value NULL
 */
public record SqlSent(String statement, List<Object> parameters) implements Sent {
    private static final Pattern QUERY = Pattern.compile(
            "\\s*(select|values|table|show)\\b.*|\\s*with\\b(?!.*\\b(insert|update|delete|merge)\\b).*|.*\\breturning\\b.*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /** Whether the rows that it returns become the body. */
    public boolean isQuery() {
        return QUERY.matcher(statement).matches();
    }

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
