package dev.caravan.engine.loop;

import dev.caravan.base.clock.Clock;
import dev.caravan.engine.store.Horizon;

/**
 * What all lanes of this relay share.
 *
 * @param presence whether this relay and others are running
 * @param tail the reads and saves that the lanes share
 */
public record RelayParts(Clock clock, Presence presence, Horizon horizon, WakeUp wakeUp, TailLoop tail) {}
