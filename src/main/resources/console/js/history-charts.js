// The charts of a page: all have the same range of time, which is part of the address, and the same marks.
import { html, useState } from '../lib/htm-preact.js';
import { get } from './api.js';
import { Chart } from './chart.js';
import { Filters } from './filters.js';
import { counted, distance, duration, millis, moment, number, rate } from './format.js';
import { compared, effect, grouped, mostChanged, sentence } from './marks.js';
import { Empty, Loaded, Section } from './parts.js';
import { usePoll } from './poll.js';
import { go, href } from './router.js';

/** The name in the address, the title, minutes, and seconds between two requests. */
const PERIODS = [
  ['15m', 'Last 15 minutes', 15, 10],
  ['1h', 'Last hour', 60, 10],
  ['6h', 'Last 6 hours', 6 * 60, 60],
  ['24h', 'Last 24 hours', 24 * 60, 60],
  ['7d', 'Last 7 days', 7 * 24 * 60, 300],
];
const DEFAULT = '1h';

/** Of a range that begins at a given time and has no end, or an age as its begin. */
const MOVING_SECONDS = 60;
const KEPT_SECONDS = 7 * 86_400;
const MOST_COMPARED = 6;
const MOST_OF_A_GROUP = 5;
/** Shown before and after the marks of a group. */
const AROUND_SECONDS = 60;

/** @param subscription only this one; all if it is missing */
export function HistoryCharts({ page, query, subscription }) {
  const { from, to, at } = query;
  const [period, title, minutes, seconds] = PERIODS.find(([name]) => name === query.period) ?? PERIODS.find(([name]) => name === DEFAULT);
  const range = from || to ? { from, to } : { period: period === DEFAULT ? undefined : period };
  const fixed = Boolean(from || to);
  const poll = usePoll(signal => get('history', { ...(fixed ? { from, to } : { minutes }), subscription }, signal),
    !fixed ? seconds : isTime(from) && isTime(to) && Date.parse(to) < Date.now() ? 0 : MOVING_SECONDS, [minutes, from, to, subscription]);
  const choice = html`
    <nav class="choices" aria-label="Period of the charts">${PERIODS.map(([name]) => html`
      <a key=${name} data-stay href=${href(page, { period: name === DEFAULT ? undefined : name })} aria-current=${!fixed && name === period ? 'true' : undefined}>${name.replace(/(\d+)/, '$1 ')}</a>`)}</nav>`;
  return html`
    <${Section} title=${fixed ? 'Range of time' : title} actions=${choice}>
      <${Loaded} poll=${poll}>${history => html`<${Charts} page=${page} history=${history} range=${range} fixed=${fixed} at=${at} />`}<//>
      <${AnotherRange} page=${page} query=${query} isWrong=${fixed && Boolean(poll.problem)} />
    <//>`;
}

function AnotherRange({ page, query, isWrong }) {
  const [open, setOpen] = useState(false);
  return html`
    <details class="other-range" open=${open || isWrong} onToggle=${event => setOpen(event.target.open)}>
      <summary>Another range</summary>
      ${(open || isWrong) && html`<${Filters} page=${page} query=${query} verb="Show" fields=${[
        { name: 'from', label: 'From', hint: '3h or a time', time: true },
        { name: 'to', label: 'To', hint: 'now, 1h or a time', time: true },
      ]} />`}
    </details>`;
}

function Charts({ page, history, range, fixed, at }) {
  const [begin, end] = [history.from, history.to].map(time => Date.parse(time) / 1000);
  const groups = grouped(history.marks, begin, end);
  const chosen = Number.isNaN(Date.parse(at)) ? null : Date.parse(at) / 1000;
  const choose = seconds => href(page, { ...range, at: iso(seconds) });
  const between = (from, to) => href(page, { from: iso(from), to: iso(to), at });
  const shift = (end - begin) / 2;
  const now = Date.now() / 1000;
  const chart = { history, groups, chosen, onTime: seconds => go(choose(seconds)), onRange: (from, to) => go(between(from, to)) };
  return html`
    <p class="range quiet">
      <span>${moment(history.from).slice(0, 16)} – ${moment(history.to).slice(begin % 86400 < end % 86400 && end - begin < 86400 ? 11 : 0, 16)} ${moment(history.to).slice(20)}</span>
      ${fixed ? html`
        ${begin - shift > now - KEPT_SECONDS && html`<a data-stay href=${between(begin - shift, end - shift)}>earlier</a>`}
        ${end < now && html`<a data-stay href=${between(begin + shift, end + shift)}>later</a>`}` : html`
        <a data-stay href=${between(begin, end)} title="The times become part of the address, so that a link shows the same later">fix this range</a>`}
    </p>
    ${history.at.length === 0 && html`<${Empty}>No relay has stored anything in this range of time.<//>`}
    <div class="charts">
      <${Chart} title="Delivered per second" field="ratePerSecond" ...${chart} />
      <${Chart} title="Lag" field="lagSeconds" ...${chart} />
      <${Chart} title="Latency (99th percentile)" field="latencyMillis" ...${chart} />
    </div>
    ${chosen !== null && chosen >= begin && chosen <= end && html`<${Effect} history=${history} time=${chosen} groups=${groups} without=${href(page, range)} />`}
    ${groups.length > 0 && html`<${Marks} groups=${groups} chosen=${chosen} choose=${choose} between=${between} />`}
    <p class="quiet">${groups.length > 0 ? 'Choose a letter, or click' : 'No changes by people or relays. Click'} in a chart, to compare what was before and after. Drag in a chart to see a part of it.</p>`;
}

function Marks({ groups, chosen, choose, between }) {
  return html`
    <ol class="marks" aria-label="Marks: changes by people and relays">
      ${groups.map(group => html`
        <li key=${group.at} aria-current=${isOf(group, chosen) ? 'true' : undefined}>
          <a data-stay class=${`mark-letter ${group.marks.some(mark => mark.person) ? 'of-person' : 'of-relay'}`} href=${choose(group.at)} aria-label=${`${group.letter}: compare before and after`} title="Compare before and after">${group.letter}</a>
          <time datetime=${group.marks[0].at} title=${distance(group.marks[0].at)}>${moment(group.at * 1000).slice(5, 19)}</time>
          <span class="mark-text">
            ${group.marks.length > 1 && html`<strong>${counted(group.marks.length, 'change')}${group.until - group.at >= 1 ? ` in ${duration(group.until - group.at)}` : ''}</strong>`}
            ${group.marks.slice(0, MOST_OF_A_GROUP).map((mark, i) => html`<span key=${i}>${sentence(mark)}${mark.note && html`: <span class="quiet">${mark.person ? html`<q>${mark.note}</q>` : mark.note}</span>`} <${More} mark=${mark} /></span>`)}
            ${group.marks.length > MOST_OF_A_GROUP && html`<a data-stay href=${between(group.at - AROUND_SECONDS, group.until + AROUND_SECONDS)}>${number(group.marks.length - MOST_OF_A_GROUP)} more in this time</a>`}
          </span>
        </li>`)}
    </ol>`;
}

/** Where more is written about a mark. */
function More({ mark: { person, what, subscriptions, audit, messages } }) {
  const subscription = subscriptions[0];
  if (!person) {
    return what === 'start' || what === 'takeover'
      ? html`<a href=${href('/relays')}>relays</a>`
      : html`<a href=${href(`/subscriptions/${subscription}`)}>subscription</a>`;
  }
  return html`
    <a href=${href('/audit', { subscription, before: audit + 1 })}>audit</a>
    ${(messages > 1 || what === 'lanes') && html` <a href=${href('/jobs')}>jobs</a>`}`;
}

function isOf({ at, until }, chosen) {
  return chosen !== null && Math.floor(at) <= chosen && chosen <= until + 1;
}

/** What differs before and after a time, of the subscriptions that differ most. */
function Effect({ history, time, groups, without }) {
  const seconds = compared(history);
  const marks = groups.filter(group => isOf(group, time)).flatMap(group => group.marks);
  const effects = mostChanged(Object.keys(history.subscriptions).map(name => [name, effect(history, name, time, seconds)]), marks);
  const then = html`<span aria-hidden="true">→</span><span class="visually-hidden">then</span>`;
  return html`
    <section class="effect" aria-label="Before and after">
      <h3>Before and after ${moment(time * 1000).slice(5, 19)}</h3>
      <p class="quiet">The ${duration(Math.min(seconds, time - Date.parse(history.from) / 1000))} before, and the ${duration(Math.min(seconds, Date.parse(history.to) / 1000 - time))} after. <a data-stay href=${without}>close</a></p>
      <ul>${effects.slice(0, MOST_COMPARED).map(([name, { before, after }]) => html`
        <li key=${name}><strong>${name}</strong>: ${rate(before.rate)} ${then} ${rate(after.rate)} per second, lag at most ${duration(before.lag)} ${then} ${duration(after.lag)}, latency at most ${millis(before.latency)} ${then} ${millis(after.latency)}</li>`)}</ul>
      ${effects.length > MOST_COMPARED && html`<p class="quiet">${counted(effects.length - MOST_COMPARED, 'other subscription')} changed less.</p>`}
    </section>`;
}

function isTime(text) {
  return /^\d{4}-/.test(text ?? '');
}

/** Whole seconds in UTC. */
function iso(seconds) {
  return new Date(Math.floor(seconds) * 1000).toISOString().replace('.000', '');
}
