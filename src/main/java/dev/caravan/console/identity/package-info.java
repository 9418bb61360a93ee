/** Who a person is, from a trusted proxy or an OpenID provider, and which role the person has. */
package dev.caravan.console.identity;
