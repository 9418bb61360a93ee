/** The problems of a relay and its subscriptions that a person should know about, found in the database and in recent samples. */
package dev.caravan.operate.explain;
