// Package personal is the map of the columns that can contain personal data, and of how each is
// erased. A test fails if a column of text or bytes is missing from it.
package personal

import (
	"slices"
	"strings"
)

// Class is the way in which the values of a column are erased.
type Class string

const (
	// Redaction is data of a customer. Redacting the customer erases it: the mutation
	// customerRedact and graph/engine/erase. Of the notes they erase those that shoppers left at
	// checkout; notes of the staff are [Books]. Carts are found by email address, so a cart without
	// one expires with age.
	Redaction Class = "redaction"
	// Sealed is data of a customer inside a larger value, which graph/engine/erase rewrites or
	// deletes for each redaction: the packed bodies of events, the encrypted answers of idempotency
	// keys, and the answers of webhook receivers. It does the same with the files of exports in the
	// blob store.
	Sealed Class = "sealed"
	// Age is data that is deleted after a fixed time.
	Age Class = "age"
	// Account is data of the people who run a store. It is deleted with their account or their
	// access.
	Account Class = "account"
	// Books is data that a store must keep about a sale, or typed in itself: its staff are
	// instructed to write nothing personal there. Invoices name the buyer: laws on accounting require
	// stores to keep them unchanged for years, so a redaction leaves them.
	Books Class = "books"
	// Never is data that is never personal: states, codes, names of things, secrets, hashes.
	Never Class = "never"
)

// all stands for every column of a table that is not about people.
const all = "*"

// tables lists the columns of each table by class.
var tables = map[string]map[Class]string{
	"access_tokens":  {Never: "hint scopes"},
	"account_events": {Account: "address agent detail", Never: "action"},
	"api_keys":       {Never: "name hint scopes networks"},
	"app_names":      {Never: "name"},
	"apps":           {Never: "client_id metadata_url name developer website redirect_uris scopes"},
	"attempts":       {Sealed: "response", Age: "request", Never: "outcome detail"},
	"audit_log": {
		Age:   "actor_name detail address agent",
		Never: "actor_type action resource_type request_id",
	},
	"carts": {
		Redaction: "note gift email phone address billing_address country region vat_id vat_consultation session",
		Never:     "code rate_id payment",
	},
	"challenges":    {Age: "email data", Never: "purpose"},
	"collections":   {Never: "title handle description sort rule"},
	"credentials":   {Never: "kind"},
	"custom_fields": {Never: "owner name label type"},
	"locations":     {Never: "name address"},
	"customers": {
		Redaction: "email phone first_name last_name locale default_address addresses tags note custom_fields",
		Never:     "status email_marketing email_marketing_source",
	},
	"delivery_logs": {Sealed: "response", Age: "request", Never: "type state outcome detail"},
	"discounts":     {Never: "code kind collections"},
	"events":        {Sealed: "body", Never: "type resource_type"},
	"exports": {
		Account: "requester_name",
		Never: "kind format compression filter_status requester_type status hash_state sha256 " +
			"error_code error_message language timezone filter_financial_status " +
			"filter_fulfillment_status filter_ids filter_consent custom_columns",
	},
	"facets":            {Never: "name value"},
	"factors":           {Account: "name data", Never: "kind"},
	"former_handles":    {Never: "kind handle"},
	"fulfillments":      {Books: "carrier tracking_number tracking_url", Never: "lines"},
	"grants":            {Account: "user_name", Never: "scopes redirect_uri resource code_challenge revoked_reason answer"},
	"idempotency_keys":  {Sealed: "answer", Never: "key_hash fingerprint"},
	"inventory_changes": {Account: "actor_name", Books: "reason reference", Never: "actor_type"},
	"import_findings":   {Never: "record detail"},
	"import_images":     {Never: "url alt variants record"},
	"import_jobs": {
		Account: "requester_name",
		Never:   "kind file_name source_url mapping requester_type status error_code error_message",
	},
	"invitations":      {Account: "email pending inviter_name", Never: "role outcome"},
	"invoice_series":   {Never: "series"},
	"invoice_settings": {Books: "seller", Never: "issue invoice_series credit_series"},
	"invoices":         {Books: "content", Never: "kind series currency"},
	"listings":         {Never: "title_key"},
	"mails": {
		Redaction: "recipient subject body html network stop_url",
		Never:     "sender_name reply_to email",
	},
	"marketplace_themes": {
		Account: "author review_note",
		Never:   "slug name tagline theme_version currency categories preview status",
	},
	"menus":         {Never: "content"},
	"notes":         {Redaction: "body", Account: "author_name", Never: "visibility author_type"},
	"notifications": {Age: "title body", Never: "level topic resource_type"},
	"oauth_clients": {Never: "client_id"},
	"order_lines":   {Books: "title options", Never: "sku"},
	"order_texts":   {Never: "language email subject intro closing"},
	"order_returns": {Redaction: "note name email", Books: "answer label_url", Never: "state lines"},
	"return_files":  {Never: "content_type"}, // redactions delete the rows
	"orders": {
		Redaction: "email billing_address shipping_address vat_id vat_consultation custom_fields",
		Books:     "tags line_set",
		Never: "status financial_status fulfillment_status currency source discount_code external_number " +
			"shipping_method payment_method language taxes tax_relief allocations",
	},
	"outbox_failures":    {Age: "detail"},
	"pages":              {Never: "title handle status kind body seo_description"},
	"payment_accounts":   {Never: "provider secret secret_hint signing signing_hint"},
	"payment_refunds":    {Books: "payment reference failure", Never: "provider currency state"},
	"payment_sessions":   {Books: "reference payment", Never: "provider currency state"},
	"payment_settings":   {Never: "methods"},
	"payments":           {Books: "method reference reason", Never: "kind currency lines"},
	"pictures":           {Never: "state content_type"},
	"product_files":      {Never: "filename"},
	"processes":          {Never: "role host version rates"},
	"product_images":     {Never: "alt filename content_type"},
	"products":           {Never: all},
	"redactions":         {Never: "step"},
	"reports":            {Never: "first_day last_day timezone currency status result"},
	"request_logs":       {Never: "method route resource code"},
	"search_entries":     {Never: "word"},
	"search_pendings":    {Never: "kind"},
	"search_spellings":   {Never: "spelling word"},
	"search_terms":       {Redaction: "term"},
	"sessions":           {Account: "agent address"},
	"shipping_countries": {Never: "country"},
	"shipping_zones":     {Never: "name rates"},
	"shopper_challenges": {Age: "email", Never: "purpose"},
	"shopper_passkeys":   {Redaction: "email host agent data"},
	"shopper_sessions":   {Redaction: "email agent address"},
	"staff":              {Never: "role alerts", Account: "views"},
	"domains":            {Never: "host token problem certificate certificate_problem"},
	"domain_hosts":       {Never: "host"},
	"mail_senders":       {Books: "local", Never: "host selector private_key public_key problem"},
	"staff_tokens":       {Never: "name hint"},
	"store_handles":      {Never: "handle"},
	"stores": {
		Books: "contact_email",
		Never: "handle name currency timezone status limits language storefront domain",
	},
	"tasks":          {Age: "payload", Never: "kind"},
	"tax_settings":   {Never: "rates categories shipping_category vat_id"},
	"theme_assets":   {Never: "path kind content_type"},
	"theme_packages": {Never: "content"},
	"theme_uploads":  {Never: "archive"},
	"themes": {
		Never: "name theme_version author description status source preview settings draft_settings",
	},
	"user_emails": {Account: "email"},
	"users":       {Account: "email name password_hash"},
	"variants":    {Never: "options title sku barcode tax_category prices custom_fields"},
	"webhook_endpoints": {
		Never: "url events description payload selection status stopped_reason headers filters secret secret_hint " +
			"next_secret next_secret_hint",
	},
	"webhook_queues": {Never: "last_error"},
}

// ClassOf returns the class of a column, and false if it has none or several.
func ClassOf(table, column string) (of Class, ok bool) {
	for class, columns := range tables[table] {
		if columns == all || slices.Contains(strings.Fields(columns), column) {
			if ok {
				return "", false
			}
			of, ok = class, true
		}
	}
	return of, ok
}

// Columns calls yield with every column that the map names.
func Columns(yield func(table, column string, of Class) bool) {
	for table, classes := range tables {
		for class, columns := range classes {
			for column := range strings.FieldsSeq(strings.TrimPrefix(columns, all)) {
				if !yield(table, column, class) {
					return
				}
			}
		}
	}
}
