/**
 * What people do about messages that could not be delivered: find, retry, discard and replay them, pause a subscription, and
 * the audit of all that. No Camel and no command line, so that any front can use it.
 */
package dev.caravan.deadletter;
