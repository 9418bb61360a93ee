/** Notices: messages in the outbox that report to people that a problem of Caravan itself is open or over. */
package dev.caravan.notice;
