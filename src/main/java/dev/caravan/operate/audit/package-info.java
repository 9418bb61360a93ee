/** What people changed, who did it, and why. */
package dev.caravan.operate.audit;
