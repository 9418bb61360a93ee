/**
 * Connections, pools, statements from files, and the tables. Each own session begins with the same settings. It knows nothing of lanes
 * and routes.
 */
package dev.caravan.database;
