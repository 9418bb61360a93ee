package dev.caravan.lab.demo;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Lines at the bottom of a terminal that are redrawn in place; other output is printed above them. */
final class LiveBlock {
    private static final String UP_AND_CLEAR = "\u001b[%dA\u001b[J";
    private static final String NO_WRAP = "\u001b[?7l";
    private static final String WRAP = "\u001b[?7h";

    private final PrintStream terminal;
    private List<String> lines = List.of();

    LiveBlock(PrintStream terminal) {
        this.terminal = terminal;
    }

    synchronized void show(List<String> newLines) {
        erase();
        lines = List.copyOf(newLines);
        draw();
    }

    /** A stream whose output appears above the block, for log lines. */
    PrintStream above() {
        return new PrintStream(new Above(), true, StandardCharsets.UTF_8);
    }

    private void erase() {
        if (!lines.isEmpty()) {
            terminal.printf(UP_AND_CLEAR, lines.size());
        }
    }

    /** Disables line wrapping, so that a narrow terminal shows as many lines as were written and erase finds the first one. */
    private void draw() {
        terminal.print(NO_WRAP);
        lines.forEach(terminal::println);
        terminal.print(WRAP);
        terminal.flush();
    }

    private synchronized void writeAbove(byte[] bytes, int offset, int length) {
        erase();
        terminal.write(bytes, offset, length);
        draw();
    }

    /** Prints each write as a whole, because loggers write whole lines. */
    private final class Above extends OutputStream {
        @Override
        public void write(int single) {
            writeAbove(new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) {
            writeAbove(bytes, offset, length);
        }
    }
}
