<?php
// Receives Storefront's webhooks with PHP 8.0 or later and no packages.
//
//   STOREFRONT_WEBHOOK_SECRET=whsec_... php -S 127.0.0.1:4242 verify.php
//   php verify.php --vectors webhook-signature.json   tests this file
//
// During a rotation, set both secrets, separated by a comma.
declare(strict_types=1);

const MAX_BODY = 320 * 1024; // bytes; bodies have at most 256 KiB
const TOLERANCE = 300; // seconds

// verify returns '' or why a delivery is rejected. $body is the raw body from php://input,
// not JSON that was parsed and written again.
function verify(array $secrets, ?string $timestamp, ?string $signature, string $body, ?int $now = null): string
{
    if ($timestamp === null || $timestamp === '' || $signature === null || $signature === '') {
        return 'a header is missing';
    }
    // Only digits: is_numeric() would also accept ' 1', '1e9' and '.5'.
    if (preg_match('/^[0-9]{1,15}$/D', $timestamp) !== 1) {
        return 'the timestamp is not a number';
    }
    if (abs(($now ?? microtime(true)) - (int) $timestamp) > TOLERANCE) {
        return 'the timestamp differs too much from the clock';
    }
    foreach (array_filter($secrets) as $secret) {
        $want = hash_hmac('sha256', $timestamp . '.' . $body, $secret);
        if (strlen($signature) === strlen($want) && hash_equals($want, $signature)) {
            return '';
        }
    }
    return 'the signature does not match';
}

// handle is where your work goes. Queue it: the sender waits 5 seconds.
function handle(array $event): void
{
    error_log($event['type'] . ' ' . $event['resource']['id'] . ' ' . $event['sequence']);
}

// once skips events that were handled before, since deliveries arrive at least once. A file
// keeps this example short. Better, insert event_id into a table with a unique key, in the
// same transaction as the work.
function once(array $event): void
{
    $mark = fopen(sys_get_temp_dir() . '/storefront-' . hash('sha256', $event['event_id']), 'c+');
    flock($mark, LOCK_EX); // duplicates wait
    if (fread($mark, 1) !== '1') {
        handle($event);
        fwrite($mark, '1'); // after the work, so that a failure runs again
    }
    fclose($mark);
}

function receive(array $secrets): int
{
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return 405;
    }
    $body = file_get_contents('php://input', false, null, 0, MAX_BODY + 1);
    if (strlen($body) > MAX_BODY) {
        return 413;
    }
    $timestamp = $_SERVER['HTTP_X_SERVICE_TIMESTAMP'] ?? null;
    $signature = $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? null;
    if (verify($secrets, $timestamp, $signature, $body) !== '') {
        return 401;
    }
    $event = json_decode($body, true);
    if (!is_array($event)) {
        return 400;
    }
    try {
        once($event);
    } catch (Throwable) {
        return 500; // the sender retries
    }
    return 204;
}

// check runs the shared vectors and returns how many failed.
function check(array $vectors): int
{
    $results = [];
    foreach ($vectors['sign'] as $v) {
        [$stamp, $signature, $body] = [(string) $v['timestamp'], $v['x-service-signature'], base64_decode($v['body_base64'])];
        $results[] = ['signed', verify(['whsec_other', $v['secret']], $stamp, $signature, $body, $v['timestamp']) === ''];
        $results[] = ['changed', verify([$v['secret']], $stamp, $signature, $body . ' ', $v['timestamp']) !== ''];
        $results[] = ['no secret', verify([''], $stamp, $signature, $body, $v['timestamp']) !== ''];
    }
    $receiver = $vectors['receiver'];
    $body = base64_decode($receiver['body_base64']);
    foreach (['accept', 'refuse'] as $kind) {
        foreach ($receiver[$kind] as $v) {
            $h = $v['headers'];
            $why = verify([$receiver['secret']], $h['x-service-timestamp'] ?? null, $h['x-service-signature'] ?? null, $body, $v['now']);
            $results[] = [$v['why'], ($why === '') === ($kind === 'accept')];
        }
    }
    $failed = array_filter($results, fn ($r) => !$r[1]);
    foreach ($failed as [$why]) {
        echo "FAIL $why\n";
    }
    echo count($results) - count($failed), ' of ', count($results), " vectors\n";
    return count($failed);
}

if (PHP_SAPI === 'cli') {
    exit(check(json_decode(file_get_contents($argv[2]), true)) ? 1 : 0);
}
$secrets = array_filter(explode(',', (string) getenv('STOREFRONT_WEBHOOK_SECRET')));
http_response_code($secrets ? receive($secrets) : 500);
