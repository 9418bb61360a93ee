/**
 * The command line: one class for each group of commands or larger command, and what they share. It prints text; the work is done by the other rooms.
 */
package dev.caravan.cli;
