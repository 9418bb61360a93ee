/** Tests of routes with JUnit 5, without a relay and usually without a database. Published as {@code caravan-test}. */
package dev.caravan.test;
