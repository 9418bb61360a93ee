/** The loop of a lane: its lease, the fair share of each relay, pauses and wake-up. */
package dev.caravan.engine.loop;
