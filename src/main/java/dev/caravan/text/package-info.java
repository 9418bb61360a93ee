/** Values as people read and write them. */
package dev.caravan.text;
