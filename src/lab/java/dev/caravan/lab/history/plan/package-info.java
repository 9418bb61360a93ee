/** What happens in a history: its options and steps, drawn at random and made as short as possible. */
package dev.caravan.lab.history.plan;
