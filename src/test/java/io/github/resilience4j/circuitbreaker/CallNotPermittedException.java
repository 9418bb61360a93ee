package io.github.resilience4j.circuitbreaker;

/** Stands for the exception of an open circuit. Its library is in the folder {@code lib} of those who use circuit breakers. */
public final class CallNotPermittedException extends RuntimeException {}
