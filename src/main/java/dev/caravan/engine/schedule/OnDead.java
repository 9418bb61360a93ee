package dev.caravan.engine.schedule;

/** What happens to the later messages of a key after a dead letter, in order {@code key}. */
public enum OnDead {
    /** They are delivered. Written {@code continue} in routes. */
    CONTINUE,
    /** They are blocked until a person has retried or discarded the dead letter. */
    BLOCK;

    /** Whether a dead letter blocks later messages: always in order {@code strict}, never in order {@code none}. */
    public boolean blocks(Order order) {
        return order == Order.strict || order == Order.key && this == BLOCK;
    }
}
