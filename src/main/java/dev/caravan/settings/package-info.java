/** The settings of a relay: {@code application.properties}, the environment, and what the command line overrides. */
package dev.caravan.settings;
