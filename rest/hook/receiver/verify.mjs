// Receives Storefront's webhooks with Node 18 or later and no packages.
//
//   STOREFRONT_WEBHOOK_SECRET=whsec_... PORT=4242 node verify.mjs
//   node verify.mjs --vectors webhook-signature.json   tests this file
//
// During a rotation, set both secrets, separated by a comma.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const maxBody = 320 * 1024; // bytes; bodies have at most 256 KiB
const tolerance = 300; // seconds

// verify returns '' or why a delivery is rejected. body is the raw body as a Buffer: with
// express, use express.raw({ type: '*/*' }), not JSON that was parsed and written again.
// now is Unix time in seconds.
export function verify(secrets, headers, body, now = Date.now() / 1000) {
  const timestamp = headers['x-service-timestamp'];
  const signature = headers['x-service-signature'];
  if (!timestamp || !signature) return 'a header is missing';
  // Only digits: Number() would also accept '', ' 1', '0x1' and '1e9'.
  if (!/^[0-9]{1,15}$/.test(timestamp)) return 'the timestamp is not a number';
  if (Math.abs(now - Number(timestamp)) > tolerance) return 'the timestamp differs too much from the clock';
  const given = Buffer.from(signature);
  const fits = secrets.filter(Boolean).some((secret) => {
    const want = Buffer.from(createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex'));
    return given.length === want.length && timingSafeEqual(given, want);
  });
  return fits ? '' : 'the signature does not match';
}

// handle is where your work goes. Queue it: the sender waits 5 seconds. Deliveries arrive
// at least once. To deduplicate, insert event_id into a table with a unique key, in the
// same transaction as the work.
async function handle(event) {
  console.log(event.type, event.resource.id, event.sequence);
}

const handled = new Map(); // the promise of the work by event_id

function once(event) {
  let work = handled.get(event.event_id);
  if (!work) {
    work = handle(event);
    handled.set(event.event_id, work);
    work.catch(() => handled.delete(event.event_id)); // a retry runs it again
    if (handled.size > 100_000) handled.delete(handled.keys().next().value);
  }
  return work;
}

async function receive(secrets, request) {
  if (request.method !== 'POST') return 405;
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= maxBody) chunks.push(chunk);
  }
  if (size > maxBody) return 413;
  const body = Buffer.concat(chunks);
  if (verify(secrets, request.headers, body)) return 401;
  let event;
  try {
    event = JSON.parse(body);
  } catch {
    return 400;
  }
  try {
    await once(event);
    return 204;
  } catch {
    return 500; // the sender retries
  }
}

// check runs the shared vectors and returns how many failed.
function check({ sign, receiver }) {
  const results = [];
  for (const v of sign) {
    const headers = { 'x-service-timestamp': String(v.timestamp), 'x-service-signature': v['x-service-signature'] };
    const body = Buffer.from(v.body_base64, 'base64');
    results.push(['signed', verify(['whsec_other', v.secret], headers, body, v.timestamp) === '']);
    results.push(['changed', verify([v.secret], headers, Buffer.concat([body, Buffer.from(' ')]), v.timestamp) !== '']);
    results.push(['no secret', verify([''], headers, body, v.timestamp) !== '']);
  }
  const body = Buffer.from(receiver.body_base64, 'base64');
  for (const v of receiver.accept) results.push([v.why, verify([receiver.secret], v.headers, body, v.now) === '']);
  for (const v of receiver.refuse) results.push([v.why, verify([receiver.secret], v.headers, body, v.now) !== '']);
  const failed = results.filter(([, ok]) => !ok);
  for (const [why] of failed) console.log('FAIL', why);
  console.log(`${results.length - failed.length} of ${results.length} vectors`);
  return failed.length;
}

if (process.argv[2] === '--vectors') {
  process.exit(check(JSON.parse(readFileSync(process.argv[3]))) ? 1 : 0);
}
const secrets = (process.env.STOREFRONT_WEBHOOK_SECRET ?? '').split(',').filter(Boolean);
if (!secrets.length) throw new Error('STOREFRONT_WEBHOOK_SECRET is not set');
const server = createServer(async (request, response) => {
  const status = await receive(secrets, request).catch(() => 400); // the connection was lost
  response.writeHead(status).end();
});
server.listen(Number(process.env.PORT ?? 4242), '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${server.address().port}`);
});
