/** Plays random histories with the loop of a relay on the real statements, and shrinks those that break a promise. */
package dev.caravan.lab.history;
