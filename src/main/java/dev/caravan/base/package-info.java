/**
 * What every room speaks of: messages and keys, settings, the clock, and texts for people. A value here has no I/O. It uses no other
 * room.
 */
package dev.caravan.base;
