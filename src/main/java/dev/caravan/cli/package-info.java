/** The command line: one class per command, and the one place where exceptions become texts and exit codes. */
package dev.caravan.cli;
