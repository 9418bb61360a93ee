/** How far a lane is: the position, the ids that are missing or in flight, and the proof that a missing id will never appear. No I/O. */
package dev.caravan.progress;
