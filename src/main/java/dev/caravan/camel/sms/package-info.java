/** The step {@code sms}, and beans for routes with SMS: recipients and the form of the request. */
package dev.caravan.camel.sms;
