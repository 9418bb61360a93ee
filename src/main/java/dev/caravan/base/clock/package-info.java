/** The time of this machine, through an interface that tests can set. */
package dev.caravan.base.clock;
