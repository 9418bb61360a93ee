/** Real servers on free ports of this machine, and relays in processes of their own, for the laboratory and the tests. */
package dev.caravan.lab.servers;
