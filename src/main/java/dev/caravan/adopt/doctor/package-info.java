/** Examines a table of messages and its database, and reports what endangers messages. Changes nothing. */
package dev.caravan.adopt.doctor;
