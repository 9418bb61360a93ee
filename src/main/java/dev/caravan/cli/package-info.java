/** The command line: one class per command, and the mapping of exceptions to messages and exit codes. */
package dev.caravan.cli;
