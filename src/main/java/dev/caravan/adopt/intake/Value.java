package dev.caravan.adopt.intake;

import dev.caravan.base.text.UuidText;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;

/**
 * A value of a row in a form that does not depend on the driver.
 *
 * @param json whether the text is a value of JSON, because the column has such a type
 * @param value String, Long, BigDecimal, Boolean, byte[] or UUID; null for null; {@link TooLarge}
 */
record Value(Object value, boolean json) {
    static final Value NULL = new Value(null, false);
    private static final int DIGITS_OF_LONG = 19;

    /** A value that was not kept. */
    record TooLarge(long most) {}

    boolean isNull() {
        return value == null;
    }

    boolean isTooLarge() {
        return value instanceof TooLarge;
    }

    /** The value as text. Bytes are text in UTF-8, or else a UUID if there are 16, or else hexadecimal digits. */
    String text() {
        if (value instanceof byte[] bytes) {
            return Texts.utf8(bytes)
                    .filter(text -> text.chars().noneMatch(Character::isISOControl))
                    .orElseGet(() -> bytes.length == 16
                            ? uuid(bytes).toString()
                            : HexFormat.of().formatHex(bytes));
        }
        return RowKey.text(value);
    }

    /** The UUID that the value is, as text or bytes; empty if it is something else. */
    Optional<UUID> uuid() {
        if (value instanceof UUID uuid) {
            return Optional.of(uuid);
        }
        if (value instanceof byte[] bytes && bytes.length == 16) {
            return Optional.of(uuid(bytes));
        }
        return Optional.of(text().strip()).filter(UuidText::isUuid).map(UUID::fromString);
    }

    private static UUID uuid(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong());
    }

    /** Numbers in one form, whatever a driver returns: whole ones that fit are a Long, others a BigDecimal; NaN and infinity are texts. */
    static Object number(Number number) {
        if (number instanceof Long || number instanceof Integer || number instanceof Short || number instanceof Byte) {
            return number.longValue();
        }
        if (number instanceof BigDecimal || number instanceof BigInteger) {
            BigDecimal exact = number instanceof BigInteger whole ? new BigDecimal(whole) : (BigDecimal) number;
            boolean fits = exact.scale() <= 0
                    && exact.precision() - exact.scale() <= DIGITS_OF_LONG
                    && exact.toBigInteger().bitLength() < Long.SIZE;
            return fits ? (Object) exact.longValueExact() : exact;
        }
        // The shortest decimal number that is read as this float or double
        double value = number.doubleValue();
        return Double.isNaN(value) || Double.isInfinite(value) ? number.toString() : new BigDecimal(number.toString());
    }
}
