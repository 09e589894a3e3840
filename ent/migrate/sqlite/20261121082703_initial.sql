-- Create "api_keys" table
CREATE TABLE `api_keys` (`store_id` blob NOT NULL, `id` blob NOT NULL, `lineage_id` blob NOT NULL, `slot` integer NULL, `name` text NOT NULL, `hint` text NOT NULL, `scopes` text NOT NULL, `created_by` blob NULL, `superseded_at` integer NULL, `expires_at` integer NULL, `revoked_at` integer NULL, `last_used_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "apikey_store_id_lineage_id_slot" to table: "api_keys"
CREATE UNIQUE INDEX `apikey_store_id_lineage_id_slot` ON `api_keys` (`store_id`, `lineage_id`, `slot`);
-- Create "audit_log" table
CREATE TABLE `audit_log` (`store_id` blob NOT NULL, `id` blob NOT NULL, `actor_type` text NOT NULL, `actor_id` blob NULL, `actor_name` text NOT NULL, `action` text NOT NULL, `resource_type` text NOT NULL, `resource_id` blob NOT NULL, `detail` text NULL, `request_id` text NULL, PRIMARY KEY (`store_id`, `id`));
-- Create "credentials" table
CREATE TABLE `credentials` (`hash` blob NOT NULL, `store_id` blob NOT NULL, `credential_id` blob NOT NULL, `kind` text NOT NULL, PRIMARY KEY (`hash`));
-- Create "customers" table
CREATE TABLE `customers` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `email` text NULL, `phone` text NULL, `first_name` text NULL, `last_name` text NULL, `status` text NOT NULL, `locale` text NULL, `email_marketing` text NOT NULL, `default_address` blob NULL, `addresses` blob NOT NULL, `tags` blob NOT NULL, `note` text NULL, `orders_count` integer NOT NULL DEFAULT (0), `total_spent_minor` integer NOT NULL DEFAULT (0), `last_order_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "customer_store_id_updated_at_id" to table: "customers"
CREATE INDEX `customer_store_id_updated_at_id` ON `customers` (`store_id`, `updated_at`, `id`);
-- Create index "customer_store_id_email" to table: "customers"
CREATE UNIQUE INDEX `customer_store_id_email` ON `customers` (`store_id`, `email`);
-- Create "events" table
CREATE TABLE `events` (`store_id` blob NOT NULL, `id` blob NOT NULL, `type` text NOT NULL, `resource_type` text NOT NULL, `resource_id` blob NOT NULL, `sequence` integer NOT NULL, `body` blob NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "event_store_id_resource_id_sequence" to table: "events"
CREATE UNIQUE INDEX `event_store_id_resource_id_sequence` ON `events` (`store_id`, `resource_id`, `sequence`);
-- Create "fulfillments" table
CREATE TABLE `fulfillments` (`store_id` blob NOT NULL, `id` blob NOT NULL, `order_id` blob NOT NULL, `lines` blob NOT NULL, `carrier` text NULL, `tracking_number` text NULL, `tracking_url` text NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "fulfillment_store_id_order_id_id" to table: "fulfillments"
CREATE INDEX `fulfillment_store_id_order_id_id` ON `fulfillments` (`store_id`, `order_id`, `id`);
-- Create "idempotency_keys" table
CREATE TABLE `idempotency_keys` (`store_id` blob NOT NULL, `id` blob NOT NULL, `key_hash` blob NOT NULL, `fingerprint` blob NOT NULL, `created_at` integer NOT NULL, `status` integer NOT NULL DEFAULT (0), `answer` blob NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "idempotency_store_id_created_at" to table: "idempotency_keys"
CREATE INDEX `idempotency_store_id_created_at` ON `idempotency_keys` (`store_id`, `created_at`);
-- Create "notes" table
CREATE TABLE `notes` (`store_id` blob NOT NULL, `id` blob NOT NULL, `order_id` blob NOT NULL, `body` text NOT NULL, `visibility` text NOT NULL, `author_type` text NOT NULL, `author_id` blob NOT NULL, `author_name` text NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "note_store_id_order_id_id" to table: "notes"
CREATE INDEX `note_store_id_order_id_id` ON `notes` (`store_id`, `order_id`, `id`);
-- Create "orders" table
CREATE TABLE `orders` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `number` integer NOT NULL, `status` text NOT NULL, `financial_status` text NOT NULL, `fulfillment_status` text NOT NULL, `currency` text NOT NULL, `subtotal_minor` integer NOT NULL, `discount_minor` integer NOT NULL, `shipping_minor` integer NOT NULL, `tax_minor` integer NOT NULL, `total_minor` integer NOT NULL, `paid_minor` integer NOT NULL, `refunded_minor` integer NOT NULL, `customer_id` blob NULL, `email` text NULL, `billing_address` blob NULL, `shipping_address` blob NULL, `notes_count` integer NOT NULL DEFAULT (0), `tags` blob NOT NULL, `source` text NOT NULL, `placed_at` integer NOT NULL, `paid_at` integer NULL, `fulfilled_at` integer NULL, `cancelled_at` integer NULL, `completed_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "order_store_id_updated_at_id" to table: "orders"
CREATE INDEX `order_store_id_updated_at_id` ON `orders` (`store_id`, `updated_at`, `id`);
-- Create index "order_store_id_number" to table: "orders"
CREATE UNIQUE INDEX `order_store_id_number` ON `orders` (`store_id`, `number`);
-- Create index "order_store_id_status_id" to table: "orders"
CREATE INDEX `order_store_id_status_id` ON `orders` (`store_id`, `status`, `id`);
-- Create index "order_store_id_financial_status_id" to table: "orders"
CREATE INDEX `order_store_id_financial_status_id` ON `orders` (`store_id`, `financial_status`, `id`);
-- Create index "order_store_id_fulfillment_status_id" to table: "orders"
CREATE INDEX `order_store_id_fulfillment_status_id` ON `orders` (`store_id`, `fulfillment_status`, `id`);
-- Create index "order_store_id_customer_id_id" to table: "orders"
CREATE INDEX `order_store_id_customer_id_id` ON `orders` (`store_id`, `customer_id`, `id`);
-- Create "order_lines" table
CREATE TABLE `order_lines` (`store_id` blob NOT NULL, `order_id` blob NOT NULL, `position` integer NOT NULL, `id` blob NOT NULL, `product_id` blob NULL, `title` text NOT NULL, `sku` text NULL, `quantity` integer NOT NULL, `fulfilled_quantity` integer NOT NULL DEFAULT (0), `refunded_quantity` integer NOT NULL DEFAULT (0), `unit_price_minor` integer NOT NULL, `discount_minor` integer NOT NULL, `tax_minor` integer NOT NULL, `total_minor` integer NOT NULL, PRIMARY KEY (`store_id`, `order_id`, `position`));
-- Create "payments" table
CREATE TABLE `payments` (`store_id` blob NOT NULL, `id` blob NOT NULL, `order_id` blob NOT NULL, `kind` text NOT NULL, `amount_minor` integer NOT NULL, `currency` text NOT NULL, `method` text NULL, `reference` text NULL, `reason` text NULL, `lines` blob NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "payment_store_id_order_id_id" to table: "payments"
CREATE INDEX `payment_store_id_order_id_id` ON `payments` (`store_id`, `order_id`, `id`);
-- Create "products" table
CREATE TABLE `products` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `title` text NOT NULL, `handle` text NOT NULL, `description` text NULL, `status` text NOT NULL, `price_minor` integer NOT NULL, `compare_at_price_minor` integer NULL, `currency` text NOT NULL, `sku` text NULL, `vendor` text NULL, `product_type` text NULL, `tags` blob NOT NULL, `inventory_quantity` integer NULL, `image_url` text NULL, `published_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "product_store_id_updated_at_id" to table: "products"
CREATE INDEX `product_store_id_updated_at_id` ON `products` (`store_id`, `updated_at`, `id`);
-- Create index "product_store_id_handle" to table: "products"
CREATE UNIQUE INDEX `product_store_id_handle` ON `products` (`store_id`, `handle`);
-- Create index "product_store_id_status_id" to table: "products"
CREATE INDEX `product_store_id_status_id` ON `products` (`store_id`, `status`, `id`);
-- Create index "product_store_id_sku_id" to table: "products"
CREATE INDEX `product_store_id_sku_id` ON `products` (`store_id`, `sku`, `id`);
-- Create "staff" table
CREATE TABLE `staff` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `role` text NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create "staff_tokens" table
CREATE TABLE `staff_tokens` (`store_id` blob NOT NULL, `id` blob NOT NULL, `user_id` blob NOT NULL, `name` text NOT NULL, `hint` text NOT NULL, `expires_at` integer NULL, `revoked_at` integer NULL, `last_used_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "stafftoken_store_id_user_id" to table: "staff_tokens"
CREATE INDEX `stafftoken_store_id_user_id` ON `staff_tokens` (`store_id`, `user_id`);
-- Create "stores" table
CREATE TABLE `stores` (`id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `handle` text NOT NULL, `name` text NOT NULL, `currency` text NOT NULL, `timezone` text NOT NULL, `status` text NOT NULL DEFAULT ('open'), `next_number` integer NOT NULL DEFAULT (1001), `legacy` bool NOT NULL DEFAULT (false), `demo` bool NOT NULL DEFAULT (false), PRIMARY KEY (`id`));
-- Create "store_handles" table
CREATE TABLE `store_handles` (`handle` text NOT NULL, `store_id` blob NOT NULL, PRIMARY KEY (`handle`));
-- Create "users" table
CREATE TABLE `users` (`id` blob NOT NULL, `email` text NOT NULL, `name` text NOT NULL, `password_hash` text NULL, `demo` bool NOT NULL DEFAULT (false), `updated_at` integer NOT NULL, PRIMARY KEY (`id`));
-- Create "user_emails" table
CREATE TABLE `user_emails` (`email` text NOT NULL, `user_id` blob NOT NULL, PRIMARY KEY (`email`));
