/** What a relay serves over HTTP: the operations under {@code /api}, and the files of the console. */
package dev.caravan.api;
