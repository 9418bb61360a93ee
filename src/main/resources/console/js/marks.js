// What people and relays did, as charts mark it, and what it has changed.
import { counted, number } from './format.js';

/** The most marks of a chart: those that are nearer than this part of its range are one. */
const MOST = 20;

/** Of the range, the part before and after a time that is compared. */
const COMPARED = 1 / 6;

/** Marks that are near each other as one, each with a letter. @returns {{letter, at, until, marks}} with times in seconds, oldest first */
export function grouped(marks, from, to) {
  const groups = [];
  for (const mark of marks) {
    const at = Date.parse(mark.at) / 1000;
    const last = groups.at(-1);
    if (last && at - last.at <= (to - from) / MOST) {
      last.marks.push(mark);
      last.until = at;
    } else {
      groups.push({ letter: String.fromCharCode(65 + groups.length), at, until: at, marks: [mark] });
    }
  }
  return groups;
}

const VERBS = {
  pause: 'paused', resume: 'resumed', lanes: 'changed the lanes of', create: 'created', delete: 'deleted', prune: 'pruned the outbox',
  retry: 'retried', discard: 'discarded', 'give-up': 'gave up', 'undo-discard': 'undid the discard of', replay: 'replayed',
  'take-over': 'took over the table of', 'take-over-undo': 'undid the take-over of',
};

/** One sentence without its period: "anna retried 300 messages of sms". */
export function sentence({ what, who, from, subscriptions, count, messages }) {
  const names = subscriptions.slice(0, 3).join(', ') + (subscriptions.length > 3 ? ` and ${number(subscriptions.length - 3)} more` : '');
  switch (what) {
    case 'start': return `${who} started`;
    case 'takeover': return `${who} took ${counted(count, 'lane')} of ${names}${from === who ? ' again' : from ? ` from ${from}` : ''}`;
    case 'halt': return `${names} was halted`;
    case 'unavailable': return `The destination of ${names} was unavailable`;
    case 'available': return `The destination of ${names} accepted messages again`;
    default: return `${who} ${VERBS[what] ?? what}${messages ? ` ${counted(messages, 'message')} of` : ''}${names ? ` ${names}` : ''}${count > 1 && !messages ? `, ${count} times` : ''}`;
  }
}

/** The seconds that are compared before and after a time: a part of the range, but at least two samples. */
export function compared({ from, to, intervalSeconds }) {
  return Math.max(((Date.parse(to) - Date.parse(from)) / 1000) * COMPARED, 2 * intervalSeconds);
}

/**
 * A subscription before and after a time in seconds.
 *
 * @returns {{before, after}} each with the mean rate, the highest lag and the highest latency; null where nothing is known
 */
export function effect(history, name, time, seconds = compared(history)) {
  const at = history.at.map(each => Date.parse(each) / 1000);
  const { ratePerSecond, lagSeconds, latencyMillis } = history.subscriptions[name];
  const between = (from, to) => {
    const inside = values => values.filter((value, i) => value !== null && at[i] > from && at[i] <= to);
    const highest = values => (inside(values).length === 0 ? null : Math.max(...inside(values)));
    let delivered = 0;
    let known = 0;
    ratePerSecond.forEach((rate, i) => { // a rate is that since the sample before
      const covered = rate === null ? 0 : Math.min(at[i], to) - Math.max(at[i - 1], from);
      if (covered > 0) {
        delivered += rate * covered;
        known += covered;
      }
    });
    return { rate: known > 0 ? delivered / known : null, lag: highest(lagSeconds), latency: highest(latencyMillis) };
  };
  return { before: between(time - seconds, time), after: between(time, time + seconds) };
}

/** The names whose rate or lag differs most before and after a time, the largest difference first; names of the marks before others. */
export function mostChanged(effects, marks) {
  const differs = (a, b, small) => Math.abs((a ?? 0) - (b ?? 0)) / Math.max(a ?? 0, b ?? 0, small);
  const score = ([name, { before, after }]) =>
    differs(before.rate, after.rate, .1) + differs(before.lag, after.lag, 10) + (marks.some(mark => mark.subscriptions.includes(name)) ? 2 : 0);
  return effects.map(each => ({ each, score: score(each) })).sort((a, b) => b.score - a.score).map(({ each }) => each);
}
