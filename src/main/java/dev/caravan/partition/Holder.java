package dev.caravan.partition;

/** A subscription that still needs a partition, and why it is not done with it. */
public record Holder(String subscription, Reason reason) {
    /** Why; the first that applies. */
    public enum Reason {
        HALTED("is halted"),
        PAUSED("is paused"),
        NOT_WORKED("has no relay that works it"),
        BEHIND("has not read so far yet"),
        GAP("has ids in its gaps: in flight, or of an open transaction");

        private final String text;

        Reason(String text) {
            this.text = text;
        }

        static Reason of(String inSql) {
            return switch (inSql) {
                case "halted" -> HALTED;
                case "paused" -> PAUSED;
                case "not worked" -> NOT_WORKED;
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
