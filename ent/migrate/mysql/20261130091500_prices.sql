-- Modify "products" table
ALTER TABLE `products` ADD COLUMN `sale_price_minor` bigint NULL, ADD COLUMN `sale_starts_at` bigint NULL, ADD COLUMN `sale_ends_at` bigint NULL, ADD COLUMN `prices` blob NULL;
-- Modify "variants" table
ALTER TABLE `variants` ADD COLUMN `sale_price_minor` bigint NULL, ADD COLUMN `prices` blob NULL;
-- Create "price_changes" table
CREATE TABLE `price_changes` (`store_id` binary(16) NOT NULL, `product_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `variant_id` binary(16) NOT NULL, `offered` bool NOT NULL, `price_minor` bigint NOT NULL, `compare_at_price_minor` bigint NULL, `sale_price_minor` bigint NULL, `sale_starts_at` bigint NULL, `sale_ends_at` bigint NULL, PRIMARY KEY (`store_id`, `product_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "scheduled_prices" table
CREATE TABLE `scheduled_prices` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `bucket` tinyint NOT NULL, `due_at` bigint NOT NULL, `tries` bigint NOT NULL DEFAULT 0, PRIMARY KEY (`store_id`, `id`), INDEX `scheduledprice_bucket_due_at` (`bucket`, `due_at`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
