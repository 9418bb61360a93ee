/**
 * What a route file can use: the component {@code outbox:}, and the steps and languages beside it. It runs an exchange for each
 * message and reports the outcome to the engine.
 *
 * <p>The classes of this package itself are public: route files and Java of users may name them, and docs/public-api/java.txt lists
 * them. Its subpackages are internal, and so are methods with types of other packages of Caravan in their signatures.
 */
package dev.caravan.camel;
