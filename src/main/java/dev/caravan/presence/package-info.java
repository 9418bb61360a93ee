/** Whether this relay, and the relays that own other lanes, are running: a session of each relay, in addition to the leases. */
package dev.caravan.presence;
