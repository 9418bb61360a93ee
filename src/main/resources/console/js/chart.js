// Charts of values over time, one line per subscription, with marks of what people and relays did.
import uPlot from '../lib/uPlot.esm.js';
import { html, useEffect, useRef } from '../lib/htm-preact.js';
import { clock, day, duration, millis, moment, number, rate } from './format.js';
import { preferences } from './preferences.js';
import { useStore } from './store.js';

const HEIGHT = 185;
const COLORS = 8;
/** A shorter range has no ticks of time that differ. */
const SHORTEST_SECONDS = 60;
/** Above the lines, for the letters of the marks. */
const LETTERS = 17;

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

/**
 * @param history with the range of time, which is always shown in full
 * @param groups of marks
 * @param chosen the time in seconds that is compared, or null
 * @param onTime is called with a time in seconds that a person clicks
 * @param onRange is called with the times in seconds between which a person drags
 */
export function Chart({ title, history, field, groups, chosen, onTime, onRange }) {
  const { format } = FIELDS[field];
  const { zone } = useStore(preferences);
  const box = useRef();
  const plot = useRef();
  const names = Object.keys(history.subscriptions);
  const range = [history.from, history.to].map(time => Date.parse(time) / 1000);
  const data = [history.at.map(time => Date.parse(time) / 1000), ...names.map(name => history.subscriptions[name][field])];
  const shown = data[0].length > 0 ? data : [range, ...names.map(() => [null, null])];
  const fresh = useRef();
  fresh.current = { data: shown, range, groups, chosen, onTime, onRange };

  useEffect(() => {
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(box.current, names, FIELDS[field], zone, fresh), fresh.current.data, box.current);
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
  useEffect(() => plot.current?.setData(shown), [history, chosen]);

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

function options(box, names, { format, tick, steps }, zone, fresh) {
  const line = color(box, 'chart-line');
  const axis = { stroke: color(box, 'chart-text'), grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
  return {
    width: box.clientWidth,
    height: HEIGHT,
    padding: [LETTERS, 18, 0, 0],
    tzDate: seconds => (zone === 'local' ? new Date(seconds * 1000) : uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC')),
    // the cursor is at the same time in all charts of the page; dragging and clicking concern one
    cursor: { y: false, drag: { x: true, y: false, dist: 3, setScale: false }, sync: { key: 'charts', filters: { pub: type => type.startsWith('mousemove') || type.startsWith('mouseleave') } } },
    legend: { live: true },
    scales: {
      x: { range: () => fresh.current.range },
      y: { range: (plot, min, max) => [0, Math.max(max ?? 0, 1) * 1.1] },
    },
    axes: [
      { ...axis, values: (plot, ticks) => timeLabels(ticks), incrs: TIME_STEPS, space: 60, size: 28 },
      { ...axis, values: (plot, ticks, at, space, step) => ticks.map(value => tick(value, step)), incrs: steps, size: 56, space: 36 },
    ],
    series: [
      { label: 'Time', value: (plot, time, series, at) => moment((shownValue(plot.data[series] ?? [], at) ?? Date.now() / 1000) * 1000).slice(5, 19) },
      ...names.map((name, i) => ({
        label: name,
        stroke: color(box, `chart-${i % COLORS}`),
        width: 1.5,
        dash: i < COLORS ? undefined : [4, 4],
        points: { show: false, size: 4, filter: (plot, series) => alone(plot.data[series]) },
        value: (plot, value, series, at) => format(shownValue(plot.data[series] ?? [], at)),
      })),
    ],
    hooks: {
      ready: [plot => listen(plot, fresh)],
      draw: [plot => drawMarks(plot, fresh.current, { person: color(box, 'chart-person'), relay: color(box, 'chart-relay'), ground: color(box, 'chart-ground'), chosen: color(box, 'chart-chosen') })],
      setSelect: [plot => dragged(plot, fresh.current)],
    },
  };
}

/** The indexes of values without a neighbor, which no line shows. */
export function alone(values) {
  const none = value => value === null || value === undefined;
  return values.map((value, i) => i).filter(i => !none(values[i]) && none(values[i - 1]) && none(values[i + 1]));
}

function dragged(plot, { range, onRange }) {
  const { left, width } = plot.select;
  const [from, to] = [left, left + width].map(x => plot.posToVal(x, 'x'));
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  const missing = Math.max(0, SHORTEST_SECONDS - (to - from)) / 2;
  onRange(Math.max(range[0], from - missing), Math.min(range[1], to + missing));
}

function listen(plot, fresh) {
  let down = 0;
  plot.over.addEventListener('mousedown', event => { down = event.clientX; });
  plot.over.addEventListener('mouseup', event => {
    if (event.button === 0 && Math.abs(event.clientX - down) < 3) {
      fresh.current.onTime(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, 'x'));
    }
  });
}

/** A line with a letter for each group of marks: in a filled circle for people, in a box for relays; and a line for the chosen time. */
function drawMarks(plot, { groups, chosen, range }, colors) {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const x = seconds => Math.round(plot.valToPos(seconds, 'x', true)) + .5;
  const inRange = seconds => seconds >= range[0] && seconds <= range[1];
  ctx.save();
  ctx.lineWidth = scale;
  ctx.font = `600 ${10 * scale}px system-ui, sans-serif`;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'middle';
  if (chosen !== null && inRange(chosen)) {
    ctx.strokeStyle = colors.chosen;
    ctx.lineWidth = 2 * scale;
    verticalLine(ctx, x(chosen), bbox);
    ctx.lineWidth = scale;
  }
  for (const { at, letter, marks } of groups) {
    const person = marks.some(mark => mark.person);
    const middle = bbox.top - (LETTERS / 2 + 1) * scale;
    const radius = 6.5 * scale;
    ctx.strokeStyle = ctx.fillStyle = person ? colors.person : colors.relay;
    ctx.setLineDash([3 * scale, 3 * scale]);
    verticalLine(ctx, x(at), bbox);
    ctx.setLineDash([]);
    ctx.beginPath();
    if (person) {
      ctx.arc(x(at), middle, radius, 0, 2 * Math.PI);
      ctx.fill();
      ctx.fillStyle = colors.ground;
    } else {
      ctx.rect(x(at) - radius, middle - radius, 2 * radius, 2 * radius);
      ctx.stroke();
    }
    ctx.fillText(letter, x(at), middle + .5 * scale);
  }
  ctx.restore();
}

function verticalLine(ctx, x, { top, height }) {
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + height);
  ctx.stroke();
}
