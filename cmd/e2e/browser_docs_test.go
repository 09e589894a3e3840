//go:build !race

package e2e

// alone checks that the page loaded and requested everything from its own host.
const alone = `performance.getEntriesByType('resource').every((e) => e.name.startsWith(location.origin + '/') ||
	e.name.startsWith('data:') || e.name.startsWith('blob:'))`

// tryDocs: a developer reads the reference and tries a call with their own key, then runs a query
// in the explorer with their session. Both use third-party scripts, which violate no policy and
// contact no other host.
func (b *browser) tryDocs(store, key string) {
	b.t.Helper()
	b.tryReference(store, key)
	b.tryExplorer(store)
	b.open("/docs/nope")
	b.see(`a[href="/docs"]`)
	b.shot("missing")
}

func (b *browser) tryReference(store, key string) {
	b.t.Helper()
	b.open("/docs#tag/identity/GET/me")
	b.see(`.show-api-client-button`)
	b.await("the server's address", `document.querySelector('.show-api-client-button') &&
		document.body.textContent.includes(`+quote(b.api+"/api/public/v1")+`)`)
	b.fill(`input.scalar-password-input`, key)
	evaluate[any](b, `document.querySelector('.show-api-client-button').click()`)
	b.see(`[role="dialog"] .scalar-password-input`)
	evaluate[any](b, `[...document.querySelectorAll('[role="dialog"] button')]
		.findLast((e) => e.innerText.trim().startsWith('Send')).click()`)
	b.await("an answer of the API", `performance.getEntriesByType('resource').some((e) =>
		e.name.endsWith('/api/public/v1/me') && e.responseStatus === 200)`)
	b.await("the answer", `document.querySelector('[role="dialog"]').innerText.includes(`+quote(store)+`)`)
	b.shot("reference-tried")
	b.keepsToItself("reference")
}

func (b *browser) tryExplorer(store string) {
	b.t.Helper()
	b.open("/graphql/explorer")
	b.seeText("Mutations change the store " + store)
	b.click(`button.graphiql-execute-button`)
	b.await("the answer", `document.querySelector('.result-window')?.innerText.includes('totalMinor')`)
	b.click(`[aria-label="Show Documentation Explorer"]`)
	b.await("the schema", `document.querySelector('.graphiql-doc-explorer')?.innerText.includes('Mutation')`)
	b.click(`[aria-label="Show History"]`)
	b.see(`.graphiql-history-item`)
	b.shot("explorer")
	b.keepsToItself("explorer")
}

// keepsToItself checks everything that the page requested.
func (b *browser) keepsToItself(name string) {
	b.t.Helper()
	if !evaluate[bool](b, alone) {
		asked := evaluate[[]string](b, `performance.getEntriesByType('resource').map((e) => e.name)`)
		b.t.Errorf("the %s asks another host: %v", name, asked)
	}
}
