/** The booking application that shows the relay at work. */
package dev.caravan.lab.demo;
