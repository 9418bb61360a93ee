package dev.caravan.console.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.caravan.base.message.Mask;
import dev.caravan.base.message.StoredContent;
import dev.caravan.console.http.ApiResponse;
import dev.caravan.console.http.Call;
import dev.caravan.console.http.Export;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.operate.failed.Shown;
import dev.caravan.operate.failed.ShownContent;
import dev.caravan.operate.list.Parts;
import dev.caravan.operate.list.RowFormat;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.camel.util.function.ThrowingFunction;

/** The parameter {@code format} of a list: the response is the whole list as text, one line for each row. */
final class ListExport {
    /** A part has at least this number of characters, unless it takes long to find them. */
    private static final int PART_CHARACTERS = 64 * 1024;

    private static final long LONGEST_NANOS = 500_000_000;

    private ListExport() {}

    /** The requested format; empty for one page as JSON. */
    static Optional<RowFormat> format(Call call) {
        Optional<RowFormat> format = call.parsed("format", RowFormat::parse, "csv or jsonl");
        Stream.of("limit", "after", "before")
                .filter(name -> format.isPresent() && call.text(name).isPresent())
                .forEach(name -> {
                    throw HttpProblem.wrong(name + " cannot be combined with format, which exports the whole list");
                });
        if (format.isEmpty() && call.text("payload").isPresent()) {
            throw HttpProblem.wrong("payload in a list needs format; a single message is shown with its payload too");
        }
        return format;
    }

    /**
     * The whole list. Reads the first part, so that a failure is answered as a problem.
     *
     * @param name of the list, for the file
     * @param columns the names of all fields that a row can have
     */
    static ApiResponse of(RowFormat format, String name, List<String> columns, Parts<?> rows) throws SQLException {
        String first = format.head(columns) + next(format, columns, rows).orElse("");
        return ApiResponse.of(
                new Export(format.contentType(), name + "." + format, first, () -> next(format, columns, rows)));
    }

    private record WithContent(
            @JsonUnwrapped Object message, @JsonUnwrapped ShownContent content) {}

    /**
     * The same, with the payload and the values of the headers if the request asks for them.
     *
     * @param loading loads the content of a message; empty if the message no longer exists
     */
    static <T> ApiResponse withContent(
            Call call,
            Mask mask,
            RowFormat format,
            String name,
            List<String> columns,
            Parts<T> messages,
            ThrowingFunction<T, Optional<StoredContent>, SQLException> loading)
            throws SQLException {
        Shown shown = DeadLetterOperations.shown(call, mask);
        if (shown == Shown.NAMES_ONLY) {
            return of(format, name, columns, messages);
        }
        return of(
                format,
                name,
                Stream.concat(columns.stream(), ShownContent.COLUMNS.stream()).toList(),
                // one at a time, because a content may be large
                messages.oneByOne().map(one -> loading.apply(one.get(0)).stream()
                        .map(content -> new WithContent(one.get(0), shown.of(content)))
                        .toList()));
    }

    private static Optional<String> next(RowFormat format, List<String> columns, Parts<?> rows) throws SQLException {
        long end = System.nanoTime() + LONGEST_NANOS;
        StringBuilder text = new StringBuilder();
        while (text.length() < PART_CHARACTERS && System.nanoTime() - end < 0) {
            Optional<? extends List<?>> part = rows.next();
            if (part.isEmpty()) {
                return text.isEmpty() ? Optional.empty() : Optional.of(text.toString());
            }
            part.get().forEach(row -> text.append(format.line(row, columns)));
        }
        return Optional.of(text.toString());
    }
}
