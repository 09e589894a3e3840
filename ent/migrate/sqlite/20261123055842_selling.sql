-- Create "discounts" table
CREATE TABLE `discounts` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `code` text NOT NULL, `kind` text NOT NULL, `basis_points` integer NULL, `amount_minor` integer NULL, `starts_at` integer NULL, `ends_at` integer NULL, `least_minor` integer NULL, `uses_max` integer NULL, `customer_uses_max` integer NULL, `uses` integer NOT NULL DEFAULT (0), `active` bool NOT NULL DEFAULT (true), PRIMARY KEY (`store_id`, `id`));
-- Create index "discount_store_id_code" to table: "discounts"
CREATE UNIQUE INDEX `discount_store_id_code` ON `discounts` (`store_id`, `code`);
-- Create "discount_uses" table
CREATE TABLE `discount_uses` (`store_id` blob NOT NULL, `discount_id` blob NOT NULL, `customer_id` blob NOT NULL, `id` blob NOT NULL, `uses` integer NOT NULL, PRIMARY KEY (`store_id`, `discount_id`, `customer_id`));
-- Create "shipping_countries" table
CREATE TABLE `shipping_countries` (`store_id` blob NOT NULL, `country` text NOT NULL, `id` blob NOT NULL, `zone_id` blob NOT NULL, PRIMARY KEY (`store_id`, `country`));
-- Create "shipping_zones" table
CREATE TABLE `shipping_zones` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `name` text NOT NULL, `rates` blob NOT NULL, PRIMARY KEY (`store_id`, `id`));
-- Create "tax_settings" table
CREATE TABLE `tax_settings` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `prices_include_tax` bool NOT NULL DEFAULT (false), `rates` blob NOT NULL, PRIMARY KEY (`store_id`, `id`));
