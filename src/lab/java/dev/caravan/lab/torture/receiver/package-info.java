/** The destinations that record what arrives, and the messages that they receive. */
package dev.caravan.lab.torture.receiver;
