/** The step {@code email}, and beans for routes with mails: recipients, login and the classification of SMTP failures. */
package dev.caravan.email;
