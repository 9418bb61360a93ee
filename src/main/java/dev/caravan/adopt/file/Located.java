package dev.caravan.adopt.file;

/**
 * A value of a file that defines a capture or an intake.
 *
 * @param line its line in the file, from 1
 */
public record Located(String text, int line) {}
