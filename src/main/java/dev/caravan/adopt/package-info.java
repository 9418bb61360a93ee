/**
 * Ways to Caravan from something else: captures of existing tables, taking over from a poller, and the examination of a table.
 */
package dev.caravan.adopt;
