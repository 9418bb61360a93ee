/** How far each subscription is, and what people do to a whole one: pause, resume, delete, change its lanes. */
package dev.caravan.subscription;
