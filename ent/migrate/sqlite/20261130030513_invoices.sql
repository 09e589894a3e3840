-- Create "invoices" table
CREATE TABLE `invoices` (`store_id` blob NOT NULL, `id` blob NOT NULL, `kind` text NOT NULL, `series` text NOT NULL, `number` integer NOT NULL, `order_id` blob NOT NULL, `source_id` blob NOT NULL, `currency` text NOT NULL, `total_minor` integer NOT NULL, `content` blob NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "invoice_store_id_series_number" to table: "invoices"
CREATE UNIQUE INDEX `invoice_store_id_series_number` ON `invoices` (`store_id`, `series`, `number`);
-- Create index "invoice_store_id_kind_source_id" to table: "invoices"
CREATE UNIQUE INDEX `invoice_store_id_kind_source_id` ON `invoices` (`store_id`, `kind`, `source_id`);
-- Create index "invoice_store_id_order_id_id" to table: "invoices"
CREATE INDEX `invoice_store_id_order_id_id` ON `invoices` (`store_id`, `order_id`, `id`);
-- Create "invoice_series" table
CREATE TABLE `invoice_series` (`store_id` blob NOT NULL, `id` blob NOT NULL, `series` text NOT NULL, `next` integer NOT NULL DEFAULT (1), PRIMARY KEY (`store_id`, `id`));
-- Create index "invoiceseries_store_id_series" to table: "invoice_series"
CREATE UNIQUE INDEX `invoiceseries_store_id_series` ON `invoice_series` (`store_id`, `series`);
-- Create "invoice_settings" table
CREATE TABLE `invoice_settings` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `issue` text NOT NULL DEFAULT ('manual'), `invoice_series` text NOT NULL, `credit_series` text NOT NULL, `seller` blob NOT NULL, PRIMARY KEY (`store_id`, `id`));
