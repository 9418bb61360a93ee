package dev.caravan.camel.kafka;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.Stream;

/** The open partitions of a topic: those that have accepted a record of this producer. A partition added later counts as open. */
final class OpenPartitions {
    private final AtomicIntegerArray open;
    private final AtomicInteger closed;
    private final List<Object> locks;

    OpenPartitions(int count) {
        open = new AtomicIntegerArray(count);
        closed = new AtomicInteger(count);
        locks = Stream.generate(Object::new).limit(count).toList();
    }

    int count() {
        return locks.size();
    }

    boolean allOpen() {
        return closed.get() == 0;
    }

    boolean isOpen(int partition) {
        return partition < 0 || partition >= count() || open.get(partition) == 1;
    }

    void open(int partition) {
        if (open.compareAndSet(partition, 0, 1)) {
            closed.decrementAndGet();
        }
    }

    /** The lock that a thread holds while it sends to a partition that is not open. */
    Object lock(int partition) {
        return locks.get(partition);
    }
}
