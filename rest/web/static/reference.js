// The reference: a viewer of others draws the OpenAPI document of this host. It asks no
// other host for anything: no fonts, no figures of use, no proxy, no assistant.
'use strict';

Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  telemetry: false,
  proxyUrl: '',
  withDefaultFonts: false,
  agent: { disabled: true, hideAddApi: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'none',
  persistAuth: false, // a key is gone with the page
  modelsSectionLabel: 'Schemas',
  showOperationId: true,
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  hiddenClients: { // what stays: curl, JavaScript, Python, Go and PHP
    c: true, clojure: true, csharp: true, dart: true, fsharp: true, http: true, java: true, kotlin: true, node: true,
    objc: true, ocaml: true, powershell: true, r: true, ruby: true, rust: true, swift: true,
    js: ['axios', 'jquery', 'ofetch', 'xhr'], python: ['aiohttp', 'httpx_async', 'httpx_sync'],
    shell: ['httpie', 'wget'],
  },
});
