// Courses of the last hour, one line a subscription.
import uPlot from '../lib/uPlot.esm.js';
import { html, useEffect, useRef } from '../lib/htm-preact.js';
import { clock } from './format.js';

const HEIGHT = 170;
const COLOURS = 8;

export function Chart({ title, history, field, format }) {
  const box = useRef();
  const plot = useRef();
  const names = Object.keys(history.subscriptions);
  const data = [history.at.map(time => Date.parse(time) / 1000), ...names.map(name => history.subscriptions[name][field])];
  const fresh = useRef(data);
  fresh.current = data;

  useEffect(() => {
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(options(box.current, names, format), fresh.current, box.current);
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
  }, [names.join()]);
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

/** A canvas knows no CSS: colours are read from the page. */
function colour(box, name) {
  const probe = document.createElement('i');
  probe.className = name;
  box.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

function options(box, names, format) {
  const line = colour(box, 'chart-line');
  const axis = { stroke: colour(box, 'chart-text'), grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '11px system-ui, sans-serif' };
  return {
    width: box.clientWidth,
    height: HEIGHT,
    padding: [8, 18, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    legend: { live: true },
    scales: { y: { range: (plot, min, max) => [0, Math.max(max ?? 0, 1) * 1.1] } },
    axes: [
      { ...axis, values: (plot, ticks) => ticks.map(tick => clock(tick * 1000)), incrs: [60, 300, 600, 900, 1800, 3600], space: 60, size: 28 }, // shown in minutes
      { ...axis, values: (plot, ticks) => once(ticks.map(format)), size: 56, space: 36 },
    ],
    series: [
      { label: 'Time', value: (plot, time, series, at) => clock((pointed(plot, series, at) ?? Date.now() / 1000) * 1000) },
      ...names.map((name, i) => ({
        label: name,
        stroke: colour(box, `chart-${i % COLOURS}`),
        width: 1.5,
        dash: i < COLOURS ? undefined : [4, 4],
        points: { show: false },
        value: (plot, value, series, at) => format(pointed(plot, series, at)),
      })),
    ],
  };
}

/** The value under the cursor, or the latest one. */
function pointed(plot, series, at) {
  const values = plot.data[series] ?? [];
  return values[at ?? values.length - 1];
}

/** Rounded labels can be equal: each is written once. */
function once(labels) {
  return labels.map((label, i) => (label === labels[i - 1] ? '' : label));
}
