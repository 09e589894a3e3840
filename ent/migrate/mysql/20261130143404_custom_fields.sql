-- Modify "customers" table
ALTER TABLE `customers` ADD COLUMN `custom_fields` mediumblob NULL;
-- Modify "orders" table
ALTER TABLE `orders` ADD COLUMN `custom_fields` mediumblob NULL;
-- Modify "products" table
ALTER TABLE `products` ADD COLUMN `custom_fields` mediumblob NULL, ADD COLUMN `variant_custom_fields` mediumblob NULL;
-- Modify "variants" table
ALTER TABLE `variants` ADD COLUMN `custom_fields` mediumblob NULL;
-- Create "custom_fields" table
CREATE TABLE `custom_fields` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `version` bigint NOT NULL DEFAULT 1, `event_sequence` bigint NOT NULL DEFAULT 0, `updated_at` bigint NOT NULL, `owner` varbinary(16) NOT NULL, `name` varbinary(64) NOT NULL, `label` varchar(64) NOT NULL, `type` varbinary(16) NOT NULL, `visible_in_shop` bool NOT NULL, `filterable` bool NOT NULL, `gone` bool NOT NULL DEFAULT 0, PRIMARY KEY (`store_id`, `id`), UNIQUE INDEX `customfield_store_id_owner_name` (`store_id`, `owner`, `name`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
