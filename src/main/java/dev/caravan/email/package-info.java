/** What the email route needs beyond Camel. */
package dev.caravan.email;
