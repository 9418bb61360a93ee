package dev.caravan.engine.lane;

import dev.caravan.base.message.Message;
import dev.caravan.engine.progress.IdRanges;
import java.util.List;

/**
 * What a read has shown.
 *
 * @param messages the messages that were taken; none if the read was outdated
 * @param lookUpAgain ids that were left out and must be looked up again
 * @param settled missing ids that will never appear
 * @param leftOut missing ids that the next reads leave out
 */
record Found(List<Message> messages, IdRanges lookUpAgain, IdRanges settled, IdRanges leftOut) {}
