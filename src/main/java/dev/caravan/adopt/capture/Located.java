package dev.caravan.adopt.capture;

/**
 * A value of a capture file.
 *
 * @param line its line in the file, from 1
 */
record Located(String text, int line) {}
