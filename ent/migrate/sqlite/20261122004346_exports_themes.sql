-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_stores" table
CREATE TABLE `new_stores` (`id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `handle` text NOT NULL, `name` text NOT NULL, `currency` text NOT NULL, `timezone` text NOT NULL, `status` text NOT NULL DEFAULT ('open'), `next_number` integer NOT NULL DEFAULT (1001), `legacy` bool NOT NULL DEFAULT (false), `demo` bool NOT NULL DEFAULT (false), `active_theme_id` blob NULL, `storefront_revision` integer NOT NULL DEFAULT (0), PRIMARY KEY (`id`));
-- Copy rows from old table "stores" to new temporary table "new_stores"
INSERT INTO `new_stores` (`id`, `version`, `event_sequence`, `updated_at`, `handle`, `name`, `currency`, `timezone`, `status`, `next_number`, `legacy`, `demo`) SELECT `id`, `version`, `event_sequence`, `updated_at`, `handle`, `name`, `currency`, `timezone`, `status`, `next_number`, `legacy`, `demo` FROM `stores`;
-- Drop "stores" table after copying rows
DROP TABLE `stores`;
-- Rename temporary table "new_stores" to "stores"
ALTER TABLE `new_stores` RENAME TO `stores`;
-- Create "exports" table
CREATE TABLE `exports` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `bucket` integer NOT NULL, `kind` text NOT NULL, `format` text NOT NULL, `compression` text NOT NULL, `created_from` integer NULL, `created_to` integer NULL, `filter_status` text NULL, `requester_type` text NOT NULL, `requester_id` blob NOT NULL, `requester_name` text NOT NULL, `app_store_id` blob NULL, `app_id` blob NULL, `status` text NOT NULL, `due_at` integer NOT NULL, `lease_token` integer NOT NULL DEFAULT (0), `lease_owner` blob NULL, `lease_until` integer NOT NULL DEFAULT (0), `slot` integer NULL, `failures` integer NOT NULL DEFAULT (0), `stored` bool NOT NULL DEFAULT (false), `position` blob NULL, `rows_done` integer NOT NULL DEFAULT (0), `resources_done` integer NOT NULL DEFAULT (0), `resources_total` integer NULL, `parts` integer NOT NULL DEFAULT (0), `size_bytes` integer NOT NULL DEFAULT (0), `hash_state` blob NULL, `sha256` text NULL, `error_code` text NULL, `error_message` text NULL, `started_at` integer NULL, `completed_at` integer NULL, `expires_at` integer NULL, `deleted_at` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "export_bucket_due_at" to table: "exports"
CREATE INDEX `export_bucket_due_at` ON `exports` (`bucket`, `due_at`);
-- Create index "export_store_id_slot" to table: "exports"
CREATE UNIQUE INDEX `export_store_id_slot` ON `exports` (`store_id`, `slot`);
-- Create index "export_store_id_status_id" to table: "exports"
CREATE INDEX `export_store_id_status_id` ON `exports` (`store_id`, `status`, `id`);
-- Create index "export_store_id_app_id_id" to table: "exports"
CREATE INDEX `export_store_id_app_id_id` ON `exports` (`store_id`, `app_id`, `id`);
-- Create "export_parts" table
CREATE TABLE `export_parts` (`store_id` blob NOT NULL, `export_id` blob NOT NULL, `number` integer NOT NULL, `id` blob NOT NULL, `token` integer NOT NULL, `size_bytes` integer NOT NULL, PRIMARY KEY (`store_id`, `export_id`, `number`));
-- Create "marketplace_themes" table
CREATE TABLE `marketplace_themes` (`id` blob NOT NULL, `submitter_id` blob NULL, `slug` text NOT NULL, `name` text NOT NULL, `tagline` text NULL, `author` text NOT NULL, `theme_version` text NOT NULL, `price_minor` integer NOT NULL, `currency` text NOT NULL, `categories` text NOT NULL, `preview` text NULL, `rating_percent` integer NULL, `installs_count` integer NOT NULL DEFAULT (0), `status` text NOT NULL, `review_note` text NULL, `checksum` blob NOT NULL, `published_at` integer NULL, `updated_at` integer NOT NULL, PRIMARY KEY (`id`));
-- Create index "marketplacetheme_slug" to table: "marketplace_themes"
CREATE UNIQUE INDEX `marketplacetheme_slug` ON `marketplace_themes` (`slug`);
-- Create index "marketplacetheme_status_published_at_id" to table: "marketplace_themes"
CREATE INDEX `marketplacetheme_status_published_at_id` ON `marketplace_themes` (`status`, `published_at`, `id`);
-- Create index "marketplacetheme_submitter_id_id" to table: "marketplace_themes"
CREATE INDEX `marketplacetheme_submitter_id_id` ON `marketplace_themes` (`submitter_id`, `id`);
-- Create "themes" table
CREATE TABLE `themes` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `bucket` integer NOT NULL, `name` text NOT NULL, `theme_version` text NULL, `author` text NULL, `description` text NULL, `status` text NOT NULL, `source` text NOT NULL, `marketplace_theme_id` blob NULL, `asset_count` integer NOT NULL, `size_bytes` integer NOT NULL, `checksum` blob NOT NULL, `preview` text NULL, `activated_at` integer NULL, `due_at` integer NOT NULL, `tries` integer NOT NULL DEFAULT (0), PRIMARY KEY (`store_id`, `id`));
-- Create index "theme_bucket_due_at" to table: "themes"
CREATE INDEX `theme_bucket_due_at` ON `themes` (`bucket`, `due_at`);
-- Create index "theme_store_id_marketplace_theme_id_id" to table: "themes"
CREATE INDEX `theme_store_id_marketplace_theme_id_id` ON `themes` (`store_id`, `marketplace_theme_id`, `id`);
-- Create "theme_assets" table
CREATE TABLE `theme_assets` (`store_id` blob NOT NULL, `id` blob NOT NULL, `theme_id` blob NOT NULL, `path` text NOT NULL, `kind` text NOT NULL, `content_type` text NOT NULL, `size_bytes` integer NOT NULL, `checksum` blob NOT NULL, `width` integer NULL, `height` integer NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "themeasset_store_id_theme_id_path" to table: "theme_assets"
CREATE UNIQUE INDEX `themeasset_store_id_theme_id_path` ON `theme_assets` (`store_id`, `theme_id`, `path`);
-- Create "theme_packages" table
CREATE TABLE `theme_packages` (`checksum` blob NOT NULL, `content` blob NOT NULL, `created_at` integer NOT NULL, PRIMARY KEY (`checksum`));
-- Create "theme_uploads" table
CREATE TABLE `theme_uploads` (`store_id` blob NOT NULL, `id` blob NOT NULL, `archive` blob NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
