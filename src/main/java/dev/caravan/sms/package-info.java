/** Beans for the SMS route: recipients and the form of the request. */
package dev.caravan.sms;
