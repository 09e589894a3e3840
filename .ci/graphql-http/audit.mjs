// Runs the server audits of the npm package graphql-http against a server that
// `storefront serve --demo` started: node audit.mjs <demo.json>
//
// Every audit must pass. The specification calls some of them SHOULD or MAY; a
// change of mind about one is written down here, with its reason.
import { readFileSync } from 'node:fs';
import { serverAudits } from 'graphql-http';

const accepted = new Map(); // id of an audit -> why it does not pass

const { graphql_url: url, stores } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const authorization = `Bearer ${stores[0].keys.all}`;

const fetchFn = (target, init = {}) =>
  fetch(target, { ...init, headers: { ...init.headers, authorization } });

const counts = { ok: 0, notice: 0, warn: 0, error: 0 };
let failed = 0;
for (const audit of serverAudits({ url, fetchFn })) {
  const result = await audit.fn();
  counts[result.status]++;
  if (result.status === 'ok') continue;
  const reason = accepted.get(result.id);
  if (result.status === 'error' || !reason) failed++;
  console.log(`${result.status}: ${result.id} ${result.name}: ${result.reason}${reason ? ` (accepted: ${reason})` : ''}`);
}

const total = Object.values(counts).reduce((a, b) => a + b);
console.log(`graphql-http: ${counts.ok} of ${total} audits pass; ${counts.error} errors, ${counts.warn} warnings, ${counts.notice} notices`);
process.exit(failed > 0 || total === 0 ? 1 : 0);
