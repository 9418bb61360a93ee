/** Replay: delivers messages again that a subscription has already delivered. */
package dev.caravan.operate.replay;
