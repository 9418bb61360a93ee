/** Adds Camel components and other artifacts: finds them in a Maven repository and stores them in the folder {@code lib}. */
package dev.caravan.routes.component;
