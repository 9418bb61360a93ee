import { html } from '../../lib/htm-preact.js';
import { get } from '../api.js';
import { AuditTable } from '../audit-table.js';
import { Export } from '../export.js';
import { Filters, subscriptionChoice } from '../filters.js';
import { Loaded, Page, Section } from '../parts.js';
import { usePoll } from '../poll.js';
import { useRows } from '../preferences.js';
import { href } from '../router.js';

const PATH = '/audit';

export function Audit({ query, overview }) {
  const { subscription, before } = query;
  const rows = useRows();
  const poll = usePoll(signal => get('audit', { subscription, before, limit: rows }, signal), 5, [subscription, before], rows);
  return html`
    <${Page} title="Audit" actions=${html`<${Export} list="audit" filter=${{ subscription }} />`}>
      <${Filters} page=${PATH} query=${query} fields=${[subscriptionChoice(overview, subscription)]} />
      <${Section} title="Newest first">
        <${Loaded} poll=${poll}>${data => html`
          <${AuditTable} items=${data.items} nothing="There are no changes." everywhere name="audit" isPart=${Boolean(before) || data.items.length === rows} />
          <p class="pages">
            ${before && html`<a class="button" href=${href(PATH, { subscription })}>Newest</a>`}
            ${data.items.length === rows && html`<a class="button" href=${href(PATH, { subscription, before: data.items[rows - 1].id })}>Older</a>`}
          </p>`}<//>
      <//>
    <//>`;
}
