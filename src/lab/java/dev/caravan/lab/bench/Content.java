package dev.caravan.lab.bench;

/**
 * What an outbox is filled with: messages numbered from 1, keys at random but always the same.
 *
 * @param messages how many
 * @param keys over how many keys
 * @param bytes about the size of a payload
 * @param poisonEvery one of so many is poison; 0 for none
 * @param heldEvery one of so many has the key "held", whose first message is refused at first; 0 for none
 */
record Content(int messages, int keys, int bytes, int poisonEvery, int heldEvery) {
    static Content of(Size size, int messages) {
        return new Content(messages, size.keys(), size.bytes(), 0, 0);
    }

    Content withBytes(int newBytes) {
        return new Content(messages, keys, newBytes, poisonEvery, heldEvery);
    }

    Content withPoisonEvery(int every) {
        return new Content(messages, keys, bytes, every, heldEvery);
    }

    Content withHeldEvery(int every) {
        return new Content(messages, keys, bytes, poisonEvery, every);
    }

    /** Whether a message is one that its destination will never take. */
    boolean isPoison(int number) {
        return poisonEvery > 0 && number % poisonEvery == poisonEvery / 2;
    }

    /** Whether a message waits behind the first message. */
    boolean isHeld(int number) {
        return heldEvery > 0 && number % heldEvery == 1;
    }
}
