/** The time of this machine. The other packages of the relay read it only from here. */
package dev.caravan.clock;
