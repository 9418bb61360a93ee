package dev.caravan.cli;

import dev.caravan.base.text.Formatted;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Counts the bad lines of an input and stores the first 20 of them. */
final class BadLines {
    private static final int SHOWN = 20;

    private final List<String> first = new ArrayList<>();
    private long count;

    void add(long number, String reason) {
        count++;
        if (first.size() < SHOWN) {
            first.add("line " + number + ": " + reason);
        }
    }

    long count() {
        return count;
    }

    void printTo(PrintWriter out) {
        first.forEach(out::println);
        if (count > SHOWN) {
            out.println("… and " + Formatted.counted(count - SHOWN, "more bad line"));
        }
    }
}
