/** Attempts as spans of OpenTelemetry. Nothing of this package is loaded unless tracing is turned on. */
package dev.caravan.tracing;
