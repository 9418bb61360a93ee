/** The folder {@code lib}: jars of the user, and the class loader that finds their classes after those of the relay. */
package dev.caravan.lib;
