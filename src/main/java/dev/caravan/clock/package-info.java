/** The time of this machine. The other packages that run in a relay ask nothing else for it. */
package dev.caravan.clock;
