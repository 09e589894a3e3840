-- Add column "custom_fields" to table: "customers"
ALTER TABLE `customers` ADD COLUMN `custom_fields` blob NULL;
-- Add column "custom_fields" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `custom_fields` blob NULL;
-- Add column "custom_fields" to table: "variants"
ALTER TABLE `variants` ADD COLUMN `custom_fields` blob NULL;
-- Add column "custom_fields" to table: "products"
ALTER TABLE `products` ADD COLUMN `custom_fields` blob NULL;
-- Add column "variant_custom_fields" to table: "products"
ALTER TABLE `products` ADD COLUMN `variant_custom_fields` blob NULL;
-- Create "custom_fields" table
CREATE TABLE `custom_fields` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `owner` text NOT NULL, `name` text NOT NULL, `label` text NOT NULL, `type` text NOT NULL, `visible_in_shop` bool NOT NULL, `filterable` bool NOT NULL, `gone` bool NOT NULL DEFAULT (false), PRIMARY KEY (`store_id`, `id`));
-- Create index "customfield_store_id_owner_name" to table: "custom_fields"
CREATE UNIQUE INDEX `customfield_store_id_owner_name` ON `custom_fields` (`store_id`, `owner`, `name`);
