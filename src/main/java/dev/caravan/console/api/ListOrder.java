package dev.caravan.console.api;

import dev.caravan.console.http.Call;
import dev.caravan.console.http.HttpProblem;
import dev.caravan.operate.failed.Cursor;
import dev.caravan.operate.failed.SortOrder;
import java.util.List;
import java.util.Optional;

/** The parameters {@code sort} and {@code after} of a list: by which field the whole list is sorted, and where a page starts. */
final class ListOrder {
    private static final String ID = "id";

    private ListOrder() {}

    /**
     * The requested order.
     *
     * @param fallback the order without the parameter: a field, with a minus sign for descending order
     * @param fields the fields by which an index sorts the list
     * @throws HttpProblem if the list cannot be sorted in this order
     */
    static SortOrder of(Call call, String fallback, List<String> fields) {
        String text = call.text("sort").orElse(fallback);
        boolean isDescending = text.startsWith("-");
        String field = isDescending ? text.substring(1) : text;
        if (!fields.contains(field)) {
            throw HttpProblem.wrong("This list can be sorted by " + String.join(" or ", fields)
                    + ", with - before it for descending order; got " + text);
        }
        return new SortOrder(!field.equals(ID), isDescending);
    }

    /**
     * The end of the previous page.
     *
     * @throws HttpProblem if that page was in another order
     */
    static Optional<Cursor> after(Call call, SortOrder order) {
        Optional<Cursor> after = call.text("after").map(Cursors::read);
        if (after.isPresent() && !order.hasPlace(after.get())) {
            throw HttpProblem.wrong("after must be the value of next in a response with the same order");
        }
        return after;
    }
}
