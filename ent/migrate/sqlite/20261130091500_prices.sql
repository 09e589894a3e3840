-- Add column "sale_price_minor" to table: "variants"
ALTER TABLE `variants` ADD COLUMN `sale_price_minor` integer NULL;
-- Add column "prices" to table: "variants"
ALTER TABLE `variants` ADD COLUMN `prices` blob NULL;
-- Add column "sale_price_minor" to table: "products"
ALTER TABLE `products` ADD COLUMN `sale_price_minor` integer NULL;
-- Add column "sale_starts_at" to table: "products"
ALTER TABLE `products` ADD COLUMN `sale_starts_at` integer NULL;
-- Add column "sale_ends_at" to table: "products"
ALTER TABLE `products` ADD COLUMN `sale_ends_at` integer NULL;
-- Add column "prices" to table: "products"
ALTER TABLE `products` ADD COLUMN `prices` blob NULL;
-- Create "price_changes" table
CREATE TABLE `price_changes` (`store_id` blob NOT NULL, `product_id` blob NOT NULL, `id` blob NOT NULL, `variant_id` blob NOT NULL, `offered` bool NOT NULL, `price_minor` integer NOT NULL, `compare_at_price_minor` integer NULL, `sale_price_minor` integer NULL, `sale_starts_at` integer NULL, `sale_ends_at` integer NULL, PRIMARY KEY (`store_id`, `product_id`, `id`));
-- Create "scheduled_prices" table
CREATE TABLE `scheduled_prices` (`store_id` blob NOT NULL, `id` blob NOT NULL, `bucket` integer NOT NULL, `due_at` integer NOT NULL, `tries` integer NOT NULL DEFAULT (0), PRIMARY KEY (`store_id`, `id`));
-- Create index "scheduledprice_bucket_due_at" to table: "scheduled_prices"
CREATE INDEX `scheduledprice_bucket_due_at` ON `scheduled_prices` (`bucket`, `due_at`);
