// Formats values for people, like the command line.
import { preferences } from './preferences.js';

const WHOLE = new Intl.NumberFormat('en');

export function number(value) {
  return value === null || value === undefined ? '–' : WHOLE.format(value);
}

/** 10,000+ when it was counted up to a bound only. */
export function count(bounded) {
  return number(bounded?.atLeast) + (bounded?.more ? '+' : '');
}

export function counted(value, thing) {
  return `${number(value)} ${thing}${value === 1 ? '' : 's'}`;
}

/** The two largest units: 1m 12s, 2d 3h, 15m; milliseconds below a second. */
export function duration(seconds) {
  if (seconds === null || seconds === undefined) {
    return '–';
  }
  const whole = Math.floor(seconds);
  const [days, hours, minutes] = [Math.floor(whole / 86400), Math.floor(whole / 3600) % 24, Math.floor(whole / 60) % 60];
  const two = (large, unit, small, smallUnit) => `${large}${unit}${small === 0 ? '' : ` ${small}${smallUnit}`}`;
  if (days > 0) {
    return two(days, 'd', hours, 'h');
  }
  if (hours > 0) {
    return two(hours, 'h', minutes, 'm');
  }
  if (minutes > 0) {
    return two(minutes, 'm', whole % 60, 's');
  }
  return whole > 0 ? `${whole}s` : seconds > 0 ? `${Math.max(1, Math.round(seconds * 1000))}ms` : '0s';
}

export function millis(value) {
  return value === null || value === undefined ? '–' : value < 10_000 ? `${number(Math.round(value))}ms` : duration(value / 1000);
}

export function rate(perSecond) {
  if (perSecond === null || perSecond === undefined) {
    return '–';
  }
  return perSecond > 0 && perSecond < 10 ? perSecond.toFixed(1) : number(Math.round(perSecond));
}

/** 5m 2s ago, in 12s. */
export function distance(time, now = Date.now()) {
  const seconds = (now - Date.parse(time)) / 1000;
  return Math.abs(seconds) < 1 ? 'now' : seconds > 0 ? `${duration(Math.floor(seconds))} ago` : `in ${duration(Math.floor(-seconds))}`;
}

/** 2026-03-01 12:00:00 UTC, as logs and the command line write it; or 2026-03-01 13:00:00 +01:00 for people who prefer local time. */
export function moment(time) {
  const date = new Date(time);
  const offset = isLocal() ? -date.getTimezoneOffset() : 0;
  const shown = new Date(date.getTime() + offset * 60_000).toISOString().replace('T', ' ').replace(/\.\d+Z$/, '');
  return `${shown} ${isLocal() ? zone(offset) : 'UTC'}`;
}

/** 12:00 */
export function clock(time) {
  return moment(time).slice(11, 16);
}

/** 03-01 */
export function day(time) {
  return moment(time).slice(5, 10);
}

function isLocal() {
  return preferences.get().zone === 'local';
}

function zone(minutes) {
  const two = value => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
}

export function bytes(value) {
  if (value === null || value === undefined) {
    return '–';
  }
  let shown = value;
  for (const unit of ['B', 'kB', 'MB', 'GB']) {
    if (shown < 1024) {
      return `${unit === 'B' ? shown : shown.toFixed(1)} ${unit}`;
    }
    shown /= 1024;
  }
  return `${shown.toFixed(1)} TB`;
}

/** States in which messages are delivered. */
const DELIVERING = ['running', 'keys blocked'];

/** When a backlog will be empty, at the rate of its decrease. */
export function drain({ state, backlog, lagSeconds, secondsToDrain, ratePerSecond }) {
  if (backlog === 0) {
    return 'empty';
  }
  if (!DELIVERING.includes(state)) {
    return 'not shrinking';
  }
  if (lagSeconds < 10) {
    return 'up to date';
  }
  return secondsToDrain === null && ratePerSecond !== null ? 'not shrinking' : duration(secondsToDrain);
}

/** The class without its package, and the text. */
export function error(errorClass, text) {
  if (!errorClass) {
    return text || '–';
  }
  const simple = errorClass.slice(errorClass.lastIndexOf('.') + 1);
  return text ? `${simple}: ${text}` : simple;
}
