-- Create "discounts" table
CREATE TABLE `discounts` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `version` bigint NOT NULL DEFAULT 1, `event_sequence` bigint NOT NULL DEFAULT 0, `updated_at` bigint NOT NULL, `code` varbinary(64) NOT NULL, `kind` varbinary(16) NOT NULL, `basis_points` bigint NULL, `amount_minor` bigint NULL, `starts_at` bigint NULL, `ends_at` bigint NULL, `least_minor` bigint NULL, `uses_max` bigint NULL, `customer_uses_max` bigint NULL, `uses` bigint NOT NULL DEFAULT 0, `active` bool NOT NULL DEFAULT 1, PRIMARY KEY (`store_id`, `id`), UNIQUE INDEX `discount_store_id_code` (`store_id`, `code`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "discount_uses" table
CREATE TABLE `discount_uses` (`store_id` binary(16) NOT NULL, `discount_id` binary(16) NOT NULL, `customer_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `uses` bigint NOT NULL, PRIMARY KEY (`store_id`, `discount_id`, `customer_id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "shipping_countries" table
CREATE TABLE `shipping_countries` (`store_id` binary(16) NOT NULL, `country` varbinary(2) NOT NULL, `id` binary(16) NOT NULL, `zone_id` binary(16) NOT NULL, PRIMARY KEY (`store_id`, `country`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "shipping_zones" table
CREATE TABLE `shipping_zones` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `version` bigint NOT NULL DEFAULT 1, `event_sequence` bigint NOT NULL DEFAULT 0, `updated_at` bigint NOT NULL, `name` varchar(255) NOT NULL, `rates` mediumblob NOT NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "tax_settings" table
CREATE TABLE `tax_settings` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `version` bigint NOT NULL DEFAULT 1, `event_sequence` bigint NOT NULL DEFAULT 0, `updated_at` bigint NOT NULL, `prices_include_tax` bool NOT NULL DEFAULT 0, `rates` mediumblob NOT NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
