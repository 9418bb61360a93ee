import { html, useEffect, useState } from '../../lib/htm-preact.js';
import { get } from '../api.js';
import { Cut } from '../copyable.js';
import { Export } from '../export.js';
import { Filters } from '../filters.js';
import { bytes, number } from '../format.js';
import { Button, Failure, KeyLink, MessageLink, Moment, Page, Section } from '../parts.js';
import { Table } from '../table.js';

const PATH = '/messages';

export function Messages({ query }) {
  const filter = { key: query.key, messageId: query.messageId, type: query.type };
  const asked = Object.values(filter).some(Boolean);
  return html`
    <${Page} title="Messages" actions=${html`<${Export} key=${JSON.stringify(filter)} list="messages" filter=${filter} />`}>
      <${Filters} page=${PATH} query=${query} fields=${[
        { name: 'key', label: 'Key', hint: 'order/77' },
        { name: 'messageId', label: 'Message id', hint: 'a UUID' },
        { name: 'type', label: 'Types', hint: 'order.*' },
      ]} />
      <${Found} key=${JSON.stringify(filter)} filter=${filter} asked=${asked} />
    <//>`;
}

/** The outbox deliberately has no index for keys, so it is searched in steps, from the newest message down. */
function Found({ filter, asked }) {
  const [found, setFound] = useState({ items: [], searchedDownTo: undefined, more: false });
  const [searching, setSearching] = useState(false);
  const [problem, setProblem] = useState(null);
  async function search(before) {
    setSearching(true);
    try {
      const page = await get('messages', { ...filter, before });
      setFound(old => ({ ...page, items: before === undefined ? page.items : [...old.items, ...page.items] }));
      setProblem(null);
    } catch (refused) {
      setProblem(refused);
    }
    setSearching(false);
  }
  useEffect(() => { search(undefined); }, []);
  return html`
    <${Section} title=${asked ? 'Found, newest first' : 'Newest first'}>
      ${problem && html`<${Failure} problem=${problem} />`}
      <${Table} name="messages" caption="Messages, newest first" nothing=${searching ? 'Searching …' : 'No messages found so far.'} rows=${found.items} isPart=${found.more} rowKey=${row => row.id} columns=${[
        { head: 'Id', sort: row => row.id, cell: row => html`<${MessageLink} id=${row.id} />`, kind: 'num' },
        { head: 'Key', sort: row => row.key, cell: row => html`<${KeyLink} name=${row.key} />` },
        { head: 'Type', sort: row => row.type, cell: row => html`<${Cut} text=${row.type} />` },
        { head: 'Inserted', sort: row => Date.parse(row.createdAt), cell: row => html`<${Moment} at=${row.createdAt} />` },
        { head: 'Size', sort: row => row.bytes, cell: row => bytes(row.bytes), kind: 'num' },
        { head: 'Message id', cell: row => html`<code>${row.messageId}</code>` },
      ]} />
      <p class="pages" role="status">
        ${found.more && html`<${Button} onClick=${() => search(found.searchedDownTo)} disabled=${searching}>${searching ? 'Searching …' : 'Search older messages'}<//>`}
        ${found.searchedDownTo !== undefined && html`<span class="quiet">${found.more ? `Searched down to id ${number(found.searchedDownTo)}.` : 'The whole outbox has been searched.'}</span>`}
      </p>
    <//>`;
}
