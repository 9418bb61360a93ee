/** Whether this relay, and the relays that own other lanes, are running: a session of each relay, beside the leases. */
package dev.caravan.presence;
