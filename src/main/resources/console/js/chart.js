// Charts of values over time, one line per subscription.
import uPlot from '../lib/uPlot.esm.js';
import { html, useEffect, useRef } from '../lib/htm-preact.js';
import { clock, day, duration, millis, moment, number, rate } from './format.js';
import { preferences } from './preferences.js';
import { useStore } from './store.js';

const HEIGHT = 170;
const COLORS = 8;

const SECONDS = [.05, .1, .2, .5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400];
const NUMBERS = Array.from({ length: 30 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3));

/** The values that can be drawn: the format of a value, the label of a tick, and the distances between ticks at which labels differ. */
export const FIELDS = {
  ratePerSecond: { format: rate, tick: (value, step) => (step < 1 ? value.toFixed(1) : number(value)), steps: [.1, .2, .5, ...NUMBERS] },
  lagSeconds: { format: duration, tick: (value, step) => (step < 1 && value > 0 ? `${Number(value.toFixed(2))}s` : duration(value)), steps: [...SECONDS, ...[2, 5, 10, 20, 50, 100].map(days => days * 86400)] },
  latencyMillis: { format: millis, tick: value => (value < 1000 ? `${value}ms` : `${value / 1000}s`), steps: NUMBERS },
};

/** Distances between ticks of time: minutes, hours, days. */
export const TIME_STEPS = [1, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880].map(minutes => minutes * 60);

/** The labels of ticks: the date at midnight, otherwise the time of day. */
export function timeLabels(ticks) {
  return ticks.map(tick => (clock(tick * 1000) === '00:00' ? day(tick * 1000) : clock(tick * 1000)));
}

/** The value at an index; without an index, the latest known value. */
export function shownValue(values, at) {
  return at === null || at === undefined ? values.findLast(value => value !== null && value !== undefined) ?? null : values[at];
}

export function Chart({ title, history, field }) {
  const { format } = FIELDS[field];
  const { zone } = useStore(preferences);
  const box = useRef();
  const plot = useRef();
  const names = Object.keys(history.subscriptions);
  const data = [history.at.map(time => Date.parse(time) / 1000), ...names.map(name => history.subscriptions[name][field])];
  const fresh = useRef(data);
  fresh.current = data;

  useEffect(() => {
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(box.current, names, FIELDS[field], zone), fresh.current, box.current);
    };
    make();
    const size = new ResizeObserver(() => plot.current.setSize({ width: box.current.clientWidth, height: HEIGHT }));
    size.observe(box.current);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const theme = new MutationObserver(make);
    dark.addEventListener('change', make);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      size.disconnect();
      theme.disconnect();
      dark.removeEventListener('change', make);
      plot.current.destroy();
      plot.current = null;
    };
  }, [names.join(), zone]);
  useEffect(() => plot.current?.setData(data), [history]);

  return html`
    <figure class="chart">
      <figcaption>${title}</figcaption>
      <div ref=${box} role="img" aria-label=${`${title}: ${names.map((name, i) => spoken(name, data[i + 1], format)).join('; ')}`}></div>
    </figure>`;
}

function spoken(name, values, format) {
  const known = values.filter(value => value !== null);
  return known.length === 0 ? `${name} unknown` : `${name} ${format(known[known.length - 1])} now, at most ${format(Math.max(...known))}`;
}

/** A canvas does not use CSS, so colors are read from the page. */
function color(box, name) {
  const probe = document.createElement('i');
  probe.className = name;
  box.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

function options(box, names, { format, tick, steps }, zone) {
  const line = color(box, 'chart-line');
  const axis = { stroke: color(box, 'chart-text'), grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
  return {
    width: box.clientWidth,
    height: HEIGHT,
    padding: [8, 18, 0, 0],
    tzDate: seconds => (zone === 'local' ? new Date(seconds * 1000) : uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC')),
    cursor: { y: false, drag: { x: false, y: false } },
    legend: { live: true },
    scales: { y: { range: (plot, min, max) => [0, Math.max(max ?? 0, 1) * 1.1] } },
    axes: [
      { ...axis, values: (plot, ticks) => timeLabels(ticks), incrs: TIME_STEPS, space: 60, size: 28 },
      { ...axis, values: (plot, ticks, at, space, step) => ticks.map(value => tick(value, step)), incrs: steps, size: 56, space: 36 },
    ],
    series: [
      { label: 'Time', value: (plot, time, series, at) => moment((shownValue(plot.data[series] ?? [], at) ?? Date.now() / 1000) * 1000).slice(5, 16) },
      ...names.map((name, i) => ({
        label: name,
        stroke: color(box, `chart-${i % COLORS}`),
        width: 1.5,
        dash: i < COLORS ? undefined : [4, 4],
        points: { show: false },
        value: (plot, value, series, at) => format(shownValue(plot.data[series] ?? [], at)),
      })),
    ],
  };
}
