package dev.caravan.console;

import java.nio.file.Path;

/** What the tests of the console share: a relay with three subscriptions, and messages that are dead or wait there. */
final class ConsoleScene {
    /** More than the console counts. */
    private static final int DEAD_ORDERS = 12_000;

    static ConsoleStage stage;

    /** A dead letter of {@code sms}, of key {@code order/77}. */
    static long letter;

    /** A message of {@code mail} that waits for another attempt, with two blocked ones behind it, of key {@code order/4711}. */
    static long waiting;

    private ConsoleScene() {}

    static void begin(Path routes) throws Exception {
        Chromium.browser(); // skips before anything is started
        stage = new ConsoleStage(routes, "orders", "sms", "mail");
        letter = stage.dead(
                "sms",
                "order/77",
                "{\"total\": 84.50, \"phone\": \"+4917\", \"long\": 12345678901234567890}",
                "refused");
        waiting = stage.waiting("mail", "order/4711", 2);
        stage.deadMany("orders", 1, DEAD_ORDERS, "broken pipe ");
    }

    /** From now on {@code orders} has about 100,000 dead letters. */
    static void oneHundredThousandDeadLetters() {
        stage.deadMany("orders", DEAD_ORDERS + 1, 100_000, "broken pipe ");
    }

    static void end() throws Exception {
        if (stage != null) {
            stage.close();
        }
    }
}
