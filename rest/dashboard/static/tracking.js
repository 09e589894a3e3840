// Fulfilling orders with a pasted list of tracking numbers.
import { html, useState } from './lib.js';
import { Failure, send } from './api.js';
import { Bulk, maxBulk } from './bulk.js';
import { Area, FieldError } from './form.js';
import { humanize } from './ui.js';

const maxText = 255; // characters of a carrier or a tracking number
const maxPage = 100; // orders of one request

const find = `query Numbered($numbers: [Long!]!) { orders(first: 100, filter: { numbers: $numbers }) {
  nodes { id number status fulfillmentStatus version } pageInfo { hasNextPage } } }`;

/**
 * Reads a list: order number, carrier and tracking number in each line, separated by semicolons or
 * tabs. problems are sentences, each with the number of its line.
 * @returns {{entries: {line: number, number: number, carrier: string, tracking: string}[], problems: string[]}}
 */
function parse(text) {
  const entries = [];
  const problems = [];
  text.split(/\r?\n/).forEach((row, i) => {
    const parts = row.split(/[;\t]/).map((part) => part.trim());
    const [number, carrier, tracking] = parts;
    const bad = (sentence) => problems.push(`Line ${i + 1}: ${sentence}`);
    const before = entries.find((e) => e.number === Number(number?.replace('#', '')));
    if (row.trim() === '') {
      return;
    }
    if (parts.length !== 3) {
      bad('Enter an order number, a carrier and a tracking number, with semicolons between them.');
    } else if (!/^#?\d{1,15}$/.test(number)) {
      bad(`\u201c${number}\u201d is not an order number.`);
    } else if (tracking === '') {
      bad('The tracking number is missing.');
    } else if ([...carrier].length > maxText || [...tracking].length > maxText) {
      bad(`The carrier and the tracking number may have at most ${maxText} characters.`);
    } else if (before) {
      bad(`Order #${before.number} is also in line ${before.line}.`);
    } else {
      entries.push({ line: i + 1, number: Number(number.replace('#', '')), carrier, tracking });
    }
  });
  return { entries, problems };
}

/** Returns why an order cannot be fulfilled, or nothing. */
function objection(order, number) {
  if (!order) {
    return `There is no order #${number}.`;
  }
  if (order.status !== 'OPEN') {
    return `Order #${number} is ${humanize(order.status).toLowerCase()}.`;
  }
  return order.fulfillmentStatus === 'FULFILLED' ? `Order #${number} is already fulfilled.` : '';
}

/** Reads the orders of a list by their numbers. */
async function ordersOf(entries) {
  const found = new Map();
  for (let i = 0; i < entries.length; i += maxPage) {
    const numbers = entries.slice(i, i + maxPage).map((e) => e.number);
    const { data, errors } = await send(find, { numbers });
    if (!data.orders || data.orders.pageInfo.hasNextPage) {
      throw errors[0] ?? new Failure('The orders could not be read. Try again.', 'internal_error');
    }
    data.orders.nodes.forEach((o) => found.set(o.number, o));
  }
  return found;
}

const lineOf = (problem) => Number(problem.match(/\d+/)[0]);

/** The dialog. It checks the whole list before it fulfills any order. document fulfills one order. */
export function TrackingList({ document, ...rest }) {
  const [problems, setProblems] = useState([]);
  const prepare = async (values) => {
    const read = parse(values.get('list') ?? '');
    if (read.entries.length > maxBulk) {
      throw new FieldError('list', `List at most ${maxBulk} orders.`);
    }
    const found = await ordersOf(read.entries);
    for (const { line, number } of read.entries) {
      const text = objection(found.get(number), number);
      text && read.problems.push(`Line ${line}: ${text}`);
    }
    setProblems(read.problems.sort((a, b) => lineOf(a) - lineOf(b)));
    if (read.problems.length > 0) {
      throw new FieldError('list', 'Nothing was fulfilled yet. Correct the lines below.');
    }
    if (read.entries.length === 0) {
      throw new FieldError('list', 'Enter at least one line.');
    }
    return read.entries.map((e) => ({ ...found.get(e.number), ...e }));
  };
  const act = async (o, v, run) => {
    await run(document, { id: o.id, expectedVersion: o.version,
      input: { carrier: o.carrier || null, trackingNumber: o.tracking } });
    return 'Fulfilled: ' + o.tracking;
  };
  return html`<${Bulk} title="Fulfill with tracking" submit="Check and fulfill" name="bulk-tracking" prepare=${prepare}
    act=${act} ...${rest}>
    <p>Fulfills all remaining items of each order. The whole list is checked first.</p>
    <${Area} name="list" label="Orders" rows=${8} required spellcheck=${false} placeholder="1042; DHL; 00340434161094"
      hint=${`One order per line: order number; carrier; tracking number. At most ${maxBulk} lines.`} />
    ${problems.length > 0 && html`<ul class="results wrong" data-test="tracking-problems">
      ${problems.map((p) => html`<li key=${p}>${p}</li>`)}</ul>`}<//>`;
}
