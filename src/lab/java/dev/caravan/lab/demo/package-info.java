/** The demo: a booking application, the servers, and the check of what the relay has delivered. */
package dev.caravan.lab.demo;
