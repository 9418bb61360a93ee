/** Beans for the email route: recipients, login, HTML and the classification of SMTP failures. */
package dev.caravan.email;
