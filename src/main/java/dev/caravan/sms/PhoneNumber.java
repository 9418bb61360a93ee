package dev.caravan.sms;

/** Takes a recipient from a payload. Errors quote no number. */
public final class PhoneNumber {
    private static final int FEWEST_DIGITS = 7;
    /** Of E.164. */
    private static final int MOST_DIGITS = 15;

    private PhoneNumber() {}

    /**
     * Returns a number in international form as E.164 has it: a plus, and 7 to 15 digits that do not begin with 0.
     *
     * @throws InvalidNumberException if the text is anything else, by which the shipped error handling makes the message a dead
     *     letter
     */
    public static String one(String text) {
        String number = text == null ? "" : text.strip();
        int digits = number.length() - 1;
        boolean valid = digits >= FEWEST_DIGITS
                && digits <= MOST_DIGITS
                && number.charAt(0) == '+'
                && number.charAt(1) != '0'
                && number.chars().skip(1).allMatch(digit -> digit >= '0' && digit <= '9');
        if (!valid) {
            throw new InvalidNumberException(
                    "Not one phone number in international form: it needs a plus and 7 to 15 digits, such as +15005550006");
        }
        return number;
    }
}
