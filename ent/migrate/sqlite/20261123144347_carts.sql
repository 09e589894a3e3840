-- Add column "included_tax_minor" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `included_tax_minor` integer NULL;
-- Add column "cart_id" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `cart_id` blob NULL;
-- Add column "discount_id" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `discount_id` blob NULL;
-- Add column "discount_code" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `discount_code` text NULL;
-- Add column "shipping_method" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `shipping_method` text NULL;
-- Add column "payment_method" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `payment_method` text NULL;
-- Add column "language" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `language` text NULL;
-- Create "carts" table
CREATE TABLE `carts` (`store_id` blob NOT NULL, `id` blob NOT NULL, `token` blob NOT NULL, `bucket` integer NOT NULL, `expires_at` integer NOT NULL, `version` integer NOT NULL DEFAULT (1), `updated_at` integer NOT NULL, `lines_count` integer NOT NULL DEFAULT (0), `code` text NULL, `note` text NULL, `email` text NULL, `phone` text NULL, `address` blob NULL, `rate_id` text NULL, `payment` text NULL, `reached_at` integer NULL, `order_id` blob NULL, PRIMARY KEY (`store_id`, `id`));
-- Create index "cart_store_id_token" to table: "carts"
CREATE UNIQUE INDEX `cart_store_id_token` ON `carts` (`store_id`, `token`);
-- Create index "cart_bucket_expires_at" to table: "carts"
CREATE INDEX `cart_bucket_expires_at` ON `carts` (`bucket`, `expires_at`);
-- Create "cart_lines" table
CREATE TABLE `cart_lines` (`store_id` blob NOT NULL, `cart_id` blob NOT NULL, `product_id` blob NOT NULL, `variant_id` blob NOT NULL, `id` blob NOT NULL, `quantity` integer NOT NULL, `price_minor` integer NOT NULL, `added_at` integer NOT NULL, PRIMARY KEY (`store_id`, `cart_id`, `product_id`, `variant_id`));
-- Create "payment_settings" table
CREATE TABLE `payment_settings` (`store_id` blob NOT NULL, `id` blob NOT NULL, `version` integer NOT NULL DEFAULT (1), `event_sequence` integer NOT NULL DEFAULT (0), `updated_at` integer NOT NULL, `methods` blob NOT NULL, PRIMARY KEY (`store_id`, `id`));
