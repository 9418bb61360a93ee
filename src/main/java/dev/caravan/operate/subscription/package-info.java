/** The state of subscriptions, and changes of whole subscriptions by people: pause, resume, delete, lanes. */
package dev.caravan.operate.subscription;
