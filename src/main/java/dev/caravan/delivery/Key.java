package dev.caravan.delivery;

/**
 * Messages of one key are delivered in order.
 *
 * @param type the aggregate type, for example {@code order}
 * @param id the aggregate id, for example an order number
 */
public record Key(String type, String id) {
    @Override
    public String toString() {
        return type + "/" + id;
    }
}
