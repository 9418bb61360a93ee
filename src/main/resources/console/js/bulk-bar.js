// The selection of a list, and the changes that can be made to it.
import { html, useState } from '../lib/htm-preact.js';
import { post } from './api.js';
import { number } from './format.js';
import { Button, Failure } from './parts.js';
import { MOST, filterOf, selected } from './selection.js';

/**
 * @param what the address in the API of bulk changes of these messages
 * @param filter of the search
 * @param children takes the filter of the selection and a function to call after a change; returns the buttons
 */
export function BulkBar({ selection, filter, what, changed, children }) {
  const [counting, setCounting] = useState(false);
  const [problem, setProblem] = useState(null);
  async function selectAll() {
    setCounting(true);
    try {
      selection.selectAll(await post(what, { action: 'retry', ...selected(filter), dryRun: true }));
      setProblem(null);
    } catch (refused) {
      setProblem(refused);
    }
    setCounting(false);
  }
  const { all } = selection;
  const after = result => {
    selection.clear();
    changed(result);
  };
  return html`
    <strong>${all === null ? `${number(selection.size)} selected${selection.size === MOST ? ', the maximum' : ''}` : `All ${all.more ? 'of more than ' : ''}${number(all.messages)} matching messages are selected`}</strong>
    ${children(all === null ? filterOf(selection.rows()) : filter, after)}
    ${all === null && !filter.messageId && html`<${Button} kind="link" disabled=${counting} onClick=${selectAll}>${counting ? 'Counting …' : 'Select all that match'}<//>`}
    <${Button} kind="link" onClick=${selection.clear}>Clear<//>
    ${problem && html`<${Failure} problem=${problem} />`}`;
}
