/**
 * What people see and change: subscriptions, dead letters and retries, replays, the audit, reasons and problems. The command line and
 * the console share it. Changes are made in the database, so any process can make them.
 */
package dev.caravan.operate;
