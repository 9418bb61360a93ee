/** The loop of a lane: who holds its lease, how many lanes a relay takes, when it pauses, and what wakes it. */
package dev.caravan.loop;
