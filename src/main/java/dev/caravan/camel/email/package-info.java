/** The step {@code email}, and beans for routes with emails: recipients, login and the classification of SMTP failures. */
package dev.caravan.camel.email;
