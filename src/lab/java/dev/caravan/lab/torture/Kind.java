package dev.caravan.lab.torture;

/** What destinations make of a message when they are well. */
enum Kind {
    plain,
    /** Refused for ever by HTTP (400) and by the mail server (554). */
    poison,
    /** Refused at first by HTTP (500) and by the mail server (451). */
    failing,
    /** Two megabytes: more than Kafka takes. */
    large,
    /** Refused for ever by the chaotic destination (500), which decides it by itself: nobody writes this kind. */
    hopeless
}
