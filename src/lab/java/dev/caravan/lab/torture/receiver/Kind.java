package dev.caravan.lab.torture.receiver;

/** How a destination without faults handles a message. */
public enum Kind {
    plain,
    /** Always refused by HTTP (400) and by the mail server (554). */
    poison,
    /** Refused at first by HTTP (500) and by the mail server (451). */
    failing,
    /** Two megabytes, more than Kafka accepts. */
    large,
    /** Always refused by the chaos destination (500), which chooses these messages itself. Writers do not write this kind. */
    refused
}
