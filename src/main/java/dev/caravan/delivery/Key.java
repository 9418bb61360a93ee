package dev.caravan.delivery;

/**
 * The key of a message. Messages of one key are delivered in order.
 *
 * @param type the aggregate type, for example {@code order}
 * @param id the aggregate id, for example an order number
 */
public record Key(String type, String id) {
    /** Written by hand: the generated method of a record costs more than the rest of a lookup, and each message needs several. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Key key && id.equals(key.id) && type.equals(key.type);
    }

    @Override
    public int hashCode() {
        return 31 * type.hashCode() + id.hashCode();
    }

    @Override
    public String toString() {
        return type + "/" + id;
    }
}
