/** What the SMS route needs beyond Camel. */
package dev.caravan.sms;
