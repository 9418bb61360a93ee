package dev.caravan.operate.partition;

import java.util.Locale;

/** A subscription that still needs a partition, and why. */
public record Holder(String subscription, Reason reason) {
    /** The reason; if several apply, the first of this list. */
    public enum Reason {
        HALTED("is halted"),
        PAUSED("is paused"),
        NO_RELAY("has no relay"),
        BEHIND("has not read it completely"),
        GAP("has ids of it in its gaps (in flight, or of an open transaction)");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        static Reason of(String inSql) {
            return switch (inSql) {
                case "halted" -> HALTED;
                case "paused" -> PAUSED;
                case "no relay" -> NO_RELAY;
                case "behind" -> BEHIND;
                case "gap" -> GAP;
                default -> throw new IllegalArgumentException(inSql);
            };
        }
    }

    /** {@code subscription booking-sms is paused}. */
    @Override
    public String toString() {
        return "subscription " + subscription + " " + reason.text;
    }
}
