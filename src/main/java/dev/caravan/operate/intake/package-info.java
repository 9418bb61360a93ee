/** What people see of intakes and change: their state, lag, and pause. */
package dev.caravan.operate.intake;
