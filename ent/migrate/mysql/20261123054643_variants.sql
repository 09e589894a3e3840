-- Modify "order_lines" table
ALTER TABLE `order_lines` ADD COLUMN `variant_id` binary(16) NULL, ADD COLUMN `options` blob NULL;
-- Modify "products" table
ALTER TABLE `products` ADD COLUMN `options` mediumblob NULL, ADD COLUMN `weight_grams` bigint NULL, ADD COLUMN `max_price_minor` bigint NULL;
-- Create "variants" table
CREATE TABLE `variants` (`store_id` binary(16) NOT NULL, `product_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `position` bigint NOT NULL, `options` blob NOT NULL, `combination` binary(32) NOT NULL, `title` varchar(255) NOT NULL, `price_minor` bigint NOT NULL, `compare_at_price_minor` bigint NULL, `sku` varbinary(1020) NULL, `inventory_quantity` bigint NULL, `weight_grams` bigint NULL, PRIMARY KEY (`store_id`, `product_id`, `id`), UNIQUE INDEX `variant_store_id_product_id_combination` (`store_id`, `product_id`, `combination`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
