/** The progress of a lane: the position, the missing ids, the ids in flight, and the proof that a missing id never appears. No I/O. */
package dev.caravan.engine.progress;
