/** What a person should know about: the problems of a relay and its subscriptions, found in the database and in recent samples. */
package dev.caravan.diagnosis;
