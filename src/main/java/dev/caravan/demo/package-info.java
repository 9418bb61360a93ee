/** Real servers on free ports of this machine, and the booking application that shows the relay at work. */
package dev.caravan.demo;
