/** What a relay reads from the tables and writes to them to work a lane. */
package dev.caravan.store;
