package dev.caravan.cli;

import picocli.CommandLine.Command;

/** {@code caravan subscriptions list}: the same as {@code caravan status}. */
@Command(name = "list")
final class SubscriptionsListCommand extends StatusCommand {}
