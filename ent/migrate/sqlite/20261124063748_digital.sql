-- Disable the enforcement of foreign-keys constraints
PRAGMA foreign_keys = off;
-- Create "new_order_lines" table
CREATE TABLE `new_order_lines` (`store_id` blob NOT NULL, `order_id` blob NOT NULL, `position` integer NOT NULL, `id` blob NOT NULL, `product_id` blob NULL, `title` text NOT NULL, `sku` text NULL, `quantity` integer NOT NULL, `fulfilled_quantity` integer NOT NULL DEFAULT (0), `refunded_quantity` integer NOT NULL DEFAULT (0), `unit_price_minor` integer NOT NULL, `discount_minor` integer NOT NULL, `tax_minor` integer NOT NULL, `total_minor` integer NOT NULL, `variant_id` blob NULL, `options` blob NULL, `requires_shipping` bool NOT NULL DEFAULT (true), PRIMARY KEY (`store_id`, `order_id`, `position`));
-- Copy rows from old table "order_lines" to new temporary table "new_order_lines"
INSERT INTO `new_order_lines` (`store_id`, `order_id`, `position`, `id`, `product_id`, `title`, `sku`, `quantity`, `fulfilled_quantity`, `refunded_quantity`, `unit_price_minor`, `discount_minor`, `tax_minor`, `total_minor`, `variant_id`, `options`) SELECT `store_id`, `order_id`, `position`, `id`, `product_id`, `title`, `sku`, `quantity`, `fulfilled_quantity`, `refunded_quantity`, `unit_price_minor`, `discount_minor`, `tax_minor`, `total_minor`, `variant_id`, `options` FROM `order_lines`;
-- Drop "order_lines" table after copying rows
DROP TABLE `order_lines`;
-- Rename temporary table "new_order_lines" to "order_lines"
ALTER TABLE `new_order_lines` RENAME TO `order_lines`;
-- Create "new_products" table
CREATE TABLE `new_products` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `title` text NOT NULL, `handle` text NOT NULL, `description` text NULL, `status` text NOT NULL, `price_minor` integer NOT NULL, `compare_at_price_minor` integer NULL, `currency` text NOT NULL, `sku` text NULL, `vendor` text NULL, `product_type` text NULL, `tags` blob NOT NULL, `inventory_quantity` integer NULL, `image_url` text NULL, `published_at` integer NULL, `options` blob NULL, `weight_grams` integer NULL, `max_price_minor` integer NULL, `requires_shipping` bool NOT NULL DEFAULT (true), `images_count` integer NOT NULL DEFAULT (0), PRIMARY KEY (`store_id`, `id`));
-- Copy rows from old table "products" to new temporary table "new_products"
INSERT INTO `new_products` (`store_id`, `id`, `version`, `event_sequence`, `updated_at`, `title`, `handle`, `description`, `status`, `price_minor`, `compare_at_price_minor`, `currency`, `sku`, `vendor`, `product_type`, `tags`, `inventory_quantity`, `image_url`, `published_at`, `options`, `weight_grams`, `max_price_minor`) SELECT `store_id`, `id`, `version`, `event_sequence`, `updated_at`, `title`, `handle`, `description`, `status`, `price_minor`, `compare_at_price_minor`, `currency`, `sku`, `vendor`, `product_type`, `tags`, `inventory_quantity`, `image_url`, `published_at`, `options`, `weight_grams`, `max_price_minor` FROM `products`;
-- Drop "products" table after copying rows
DROP TABLE `products`;
-- Rename temporary table "new_products" to "products"
ALTER TABLE `new_products` RENAME TO `products`;
-- Create index "product_store_id_updated_at_id" to table: "products"
CREATE INDEX `product_store_id_updated_at_id` ON `products` (`store_id`, `updated_at`, `id`);
-- Create index "product_store_id_handle" to table: "products"
CREATE UNIQUE INDEX `product_store_id_handle` ON `products` (`store_id`, `handle`);
-- Create index "product_store_id_status_id" to table: "products"
CREATE INDEX `product_store_id_status_id` ON `products` (`store_id`, `status`, `id`);
-- Create index "product_store_id_sku_id" to table: "products"
CREATE INDEX `product_store_id_sku_id` ON `products` (`store_id`, `sku`, `id`);
-- Add column "country" to table: "carts"
ALTER TABLE `carts` ADD COLUMN `country` text NULL;
-- Count the pictures that products have
UPDATE `products` SET `images_count` = (SELECT COUNT(*) FROM `product_images` WHERE `product_images`.`store_id` = `products`.`store_id` AND `product_images`.`product_id` = `products`.`id`) WHERE EXISTS (SELECT 1 FROM `product_images` WHERE `product_images`.`store_id` = `products`.`store_id` AND `product_images`.`product_id` = `products`.`id`);
-- Enable back the enforcement of foreign-keys constraints
PRAGMA foreign_keys = on;
