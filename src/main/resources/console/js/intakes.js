// Intakes: tables of other databases whose rows are copied into the outbox.
import { html } from '../lib/htm-preact.js';
import { Cut } from './copyable.js';
import { count, duration, number } from './format.js';
import { Section, State } from './parts.js';
import { href } from './router.js';
import { Table } from './table.js';

/** The number of dead letters, as a link to them. */
export function DeadRows({ it }) {
  return it.deadLetters.atLeast === 0 ? '0' : html`<a class="is-critical" href=${href('/dead-letters', { subscription: `intake:${it.intake}` })}>${count(it.deadLetters)}</a>`;
}

export function Intakes({ rows }) {
  return rows.length > 0 && html`
    <${Section} title="Intakes">
      <${Table} caption="Intakes: tables of other databases whose rows are copied into the outbox" nothing="" rows=${rows} rowKey=${row => row.intake} columns=${[
        { head: 'Intake', sort: row => row.intake, cell: row => html`<${Cut} text=${row.intake} address=${href(`/intakes/${row.intake}`)} />` },
        { head: 'State', sort: row => row.state, cell: row => html`<${State} state=${row.state} />` },
        { head: 'Source', cell: row => html`<${Cut} text=${row.source} />` },
        { head: 'Lag', sort: row => row.lagSeconds, cell: row => duration(row.lagSeconds), kind: 'num' },
        { head: 'Copied', sort: row => row.copied, cell: row => number(row.copied), kind: 'num' },
        { head: 'Rejected', sort: row => row.rejected, cell: row => number(row.rejected), kind: 'num' },
        { head: 'Dead letters', sort: row => row.deadLetters.atLeast, cell: row => html`<${DeadRows} it=${row} />`, kind: 'num' },
        rows.some(row => row.error) && { head: 'Error', cell: row => (row.error ? html`<${Cut} error text=${row.error} />` : '–'), kind: 'wide' },
      ]} />
    <//>`;
}
