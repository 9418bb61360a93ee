/** Notices: messages in the outbox that tell people about problems of Caravan itself, and that a problem is over. */
package dev.caravan.notice;
