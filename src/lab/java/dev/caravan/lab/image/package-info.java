/** Runs the container image without a container engine, for its test and to write its class archive. */
package dev.caravan.lab.image;
