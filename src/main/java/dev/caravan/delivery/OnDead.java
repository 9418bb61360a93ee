package dev.caravan.delivery;

/** What happens to the later messages of a key when one of them is dead, in order {@code key}. */
public enum OnDead {
    /** They follow. Written {@code continue} in routes. */
    CONTINUE,
    /** They wait until a person has retried or discarded the dead letter. */
    BLOCK;

    /** Whether a dead letter holds back later messages; in order {@code strict} it always does, in order {@code none} never. */
    public boolean blocks(Order order) {
        return order == Order.strict || order == Order.key && this == BLOCK;
    }
}
