// Package shopify imports the CSV exports of a Shopify store, each file with an import job.
//
// The jobs are those of the dashboard and of the API, so limits, the audit log and events apply, a file
// that was imported before changes nothing, and the dashboard shows the jobs. What a row has and the store
// cannot keep is reported. A row that would be wrong, such as one in another currency, is left out and
// reported with its file, line and reason.
package shopify
