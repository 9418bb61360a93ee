/** The step {@code sms}: a template for the recipient and the text, sent as a form to a gateway. */
package dev.caravan.camel.sms;
