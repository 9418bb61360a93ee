/** Who a person is, from a trusted proxy, and which role the person has. */
package dev.caravan.identity;
