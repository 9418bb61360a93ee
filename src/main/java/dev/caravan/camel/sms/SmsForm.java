package dev.caravan.camel.sms;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Encodes the form for Twilio's Messages.json. Camel has no form encoding. */
public final class SmsForm {
    /**
     * @param to number of the recipient in international form
     * @param from number of the sender in international form
     */
    public static String encode(String to, String from, String text) {
        return "To=" + encoded(to) + "&From=" + encoded(from) + "&Body=" + encoded(text);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
