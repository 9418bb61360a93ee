package dev.caravan.camel;

/**
 * Validates a recipient from a payload. Errors do not contain the number.
 *
 * <p>Public: route files and Java of users may name it (docs/public-api/java.txt).
 */
public final class PhoneNumber {
    private static final int MIN_DIGITS = 7;
    /** The limit of E.164. */
    private static final int MAX_DIGITS = 15;

    private PhoneNumber() {}

    /**
     * Returns a number in the international form of E.164: a plus and 7 to 15 digits that do not start with 0.
     *
     * @throws InvalidNumberException if the text is anything else; the shipped error handling turns it into a dead letter
     */
    public static String one(String text) {
        String number = text == null ? "" : text.strip();
        int digits = number.length() - 1;
        boolean valid = digits >= MIN_DIGITS
                && digits <= MAX_DIGITS
                && number.charAt(0) == '+'
                && number.charAt(1) != '0'
                && number.chars().skip(1).allMatch(digit -> digit >= '0' && digit <= '9');
        if (!valid) {
            throw new InvalidNumberException(
                    "Not a single phone number in international form: a plus and 7 to 15 digits, such as +15005550006");
        }
        return number;
    }
}
