// The reference: a third-party viewer renders the OpenAPI document of this host. It loads nothing from other
// hosts: no fonts, no telemetry, no proxy, no assistant.
'use strict';

/** A new idempotency key. crypto.randomUUID is missing on pages served over http. */
const key = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('');

/**
 * Prepares the document for sending samples: examples of optional parameters are shown but not sent, and each
 * write gets its own idempotency key.
 */
function runnable(openapi) {
  const sent = (p) => {
    const whole = p.$ref ? openapi.components.parameters[p.$ref.split('/').pop()] : p;
    const { example, ...rest } = whole;
    if (rest.name === 'Idempotency-Key') {
      return { ...rest, example: key() };
    }
    return rest.required || example === undefined ? whole
      : { ...rest, examples: { example: { value: example, 'x-disabled': true } } };
  };
  for (const operation of Object.values(openapi.paths).flatMap((path) => Object.values(path))) {
    if (operation.parameters) {
      operation.parameters = operation.parameters.map(sent);
    }
  }
  return openapi;
}

fetch('/openapi.json').then((answer) => answer.json()).then((openapi) => Scalar.createApiReference('#reference', {
  content: runnable(openapi),
  telemetry: false,
  proxyUrl: '',
  withDefaultFonts: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  persistAuth: false, // forget the key with the page
  modelsSectionLabel: 'Schemas',
  showOperationId: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: { // the others are tested: curl, JavaScript, Python, Go and PHP
    c: true, clojure: true, csharp: true, dart: true, fsharp: true, http: true, java: true, julia: true, kotlin: true,
    node: true, objc: true, ocaml: true, powershell: true, r: true, ruby: true, rust: true, swift: true,
    js: ['axios', 'jquery', 'ofetch', 'xhr'], php: ['guzzle', 'laravel'],
    python: ['aiohttp', 'httpx_async', 'httpx_sync', 'requests'], shell: ['httpie', 'wget'],
  },
}));
