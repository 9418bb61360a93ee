/** Jobs: changes of many messages, and of lanes, that are stored while they run. Any relay continues them. */
package dev.caravan.operate.job;
