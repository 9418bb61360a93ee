package dev.caravan.lab.bench.run;

/**
 * Describes the messages of an outbox: numbered from 1, with the same random keys in each run.
 *
 * @param messages number of messages
 * @param keys number of keys
 * @param bytes approximate size of a payload
 * @param poisonEvery one message in this many is poison; 0 for none
 * @param heldEvery one message in this many has the key "held", whose first message fails until the gate opens; 0 for none
 */
public record Content(int messages, int keys, int bytes, int poisonEvery, int heldEvery) {
    /** The type of messages that are neither poison nor the held one. */
    public static final String TYPE = "order.created";

    public static Content of(Size size, int messages) {
        return new Content(messages, size.keys(), size.bytes(), 0, 0);
    }

    public Content withBytes(int newBytes) {
        return new Content(messages, keys, newBytes, poisonEvery, heldEvery);
    }

    public Content withPoisonEvery(int every) {
        return new Content(messages, keys, bytes, every, heldEvery);
    }

    public Content withHeldEvery(int every) {
        return new Content(messages, keys, bytes, poisonEvery, every);
    }

    /** Whether the destination never accepts the message. */
    public boolean isPoison(int number) {
        return poisonEvery > 0 && number % poisonEvery == poisonEvery / 2;
    }

    /** Whether the message is blocked by the first message. */
    public boolean isHeld(int number) {
        return heldEvery > 0 && number % heldEvery == 1;
    }
}
