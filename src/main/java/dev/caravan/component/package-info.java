/** Further Camel components and other artifacts: found in a Maven repository, kept in the folder {@code lib}. */
package dev.caravan.component;
