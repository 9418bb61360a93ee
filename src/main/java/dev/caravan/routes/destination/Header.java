package dev.caravan.routes.destination;

/** A header as it leaves the process. */
public record Header(String name, Bytes value) {
    public static Header of(String name, String value) {
        return new Header(name, Bytes.of(value == null ? "" : value));
    }

    public static Header of(String name, byte[] value) {
        return new Header(name, new Bytes(value == null ? new byte[0] : value));
    }

    /** The value as text. */
    public String text() {
        return value.text();
    }

    @Override
    public String toString() {
        return name + ": " + text();
    }
}
