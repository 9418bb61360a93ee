// Filters of a list. They are part of the address, so that a list can be sent to a colleague.
import { html, useLayoutEffect, useRef, useState } from '../lib/htm-preact.js';
import { Button } from './parts.js';
import { useRows } from './preferences.js';
import { go, href } from './router.js';

/**
 * @param fields {name, label, hint, options, broad}; with options it is a choice
 * @param page the path of the list
 * @param verb the text of the button
 */
export function Filters({ fields, query, page, keep = {}, verb = 'Search' }) {
  const given = Object.fromEntries(fields.map(field => [field.name, query[field.name] ?? '']));
  const [form, setForm] = useState(given);
  // A layout effect, so that text typed after the fields have appeared is not overwritten.
  useLayoutEffect(() => setForm(given), [JSON.stringify(given)]);
  const set = name => event => setForm({ ...form, [name]: event.target.value });
  const trimmed = values => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]));
  function search(event) {
    event.preventDefault();
    go(href(page, { ...keep, ...trimmed(form) }));
  }
  return html`
    <form class="filters" onSubmit=${search}>
      ${fields.map(field => html`
        <div class=${field.broad ? 'filter broad' : 'filter'} key=${field.name}><label class="field">
          <span>${field.label}</span>
          ${field.options
            ? html`<select name=${field.name} value=${form[field.name]} onChange=${set(field.name)}>
                ${field.options.map(([value, text]) => html`<option value=${value} selected=${value === form[field.name]}>${text}</option>`)}
              </select>`
            : html`<input name=${field.name} value=${form[field.name]} placeholder=${field.hint} onInput=${set(field.name)} autocomplete="off" />`}
        </label>
        ${field.time && html`<${TimePicker} label=${field.label} onPick=${value => setForm({ ...form, [field.name]: value })} />`}</div>`)}
      <div class="filter-buttons">
        <${Button} type="submit" kind="primary">${verb}<//>
        ${Object.values(given).some(Boolean) && html`<a class="button" href=${href(page, keep)}>Clear</a>`}
      </div>
    </form>`;
}

/** Opens the calendar of the browser. The picked time is local; it is converted to UTC, like all times here. */
export function TimePicker({ label, onPick }) {
  const picker = useRef();
  const pick = event => event.target.value && onPick(new Date(event.target.value).toISOString().replace(/(:00)?\.000Z$/, 'Z'));
  return html`
    <span class="time-picker">
      <button type="button" aria-label=${`Pick a time: ${label}`} title="Pick a time" onClick=${() => picker.current.showPicker()}>
        <svg viewBox="0 0 16 16" aria-hidden="true"><path fill="none" stroke="currentColor" stroke-width="1.4" d="M2.5 3.5h11v10h-11ZM2.5 6.5h11M5.5 1.5v3M10.5 1.5v3" /></svg>
      </button>
      <input ref=${picker} type="datetime-local" tabindex="-1" aria-hidden="true" onChange=${pick} />
    </span>`;
}

export function subscriptionChoice(overview, chosen) {
  const names = overview.data ? [...overview.data.subscriptions.map(it => it.subscription), ...overview.data.intakes.map(it => `intake:${it.intake}`)] : [];
  const all = chosen && !names.includes(chosen) ? [...names, chosen] : names;
  return { name: 'subscription', label: 'Subscription', options: [['', 'all'], ...all.map(name => [name, name])] };
}

/**
 * The order in which the relay sorts a list. Like the filters, it is part of the address.
 *
 * @param fields the fields by which the relay can sort the list
 * @param fallback the default order: a field, with a minus sign if the highest value is first
 */
export function sortingOf(page, query, fields, fallback) {
  const asked = fields.includes(query.sort?.replace(/^-/, '')) ? query.sort : undefined;
  const by = asked ?? fallback;
  return {
    fields,
    by,
    /** What to send with the request. */
    asked,
    directionOf: field => (by === field ? 'ascending' : by === `-${field}` ? 'descending' : undefined),
    /** Sorts by a field; the direction is its current one. */
    sort: (field, direction) => go(href(page, { ...query, after: undefined, sort: next(field, direction, fallback) })),
  };
}

function next(field, direction, fallback) {
  if (direction === 'descending') {
    return fallback === `-${field}` ? field : undefined;
  }
  return direction === 'ascending' ? `-${field}` : field;
}

/** Whether a list has rows on other pages. */
export function isPart({ after }, { next }) {
  return Boolean(after || next);
}

/** Links to the first page and the next one. If a filter matches few rows, a page can be shorter although the search continues. */
export function Pages({ page, query, data: { items, next } }) {
  const rows = useRows();
  const { after, ...rest } = query;
  return (after || next) && html`
    <p class="pages">
      ${after && html`<a class="button" href=${href(page, rest)}>First page</a>`}
      ${next && html`<a class="button" href=${href(page, { ...rest, after: next })}>${items.length < rows ? 'Search further' : 'Next page'}</a>`}
    </p>`;
}
