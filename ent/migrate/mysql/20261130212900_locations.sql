-- Modify "fulfillments" table
ALTER TABLE `fulfillments` ADD COLUMN `location_id` binary(16) NULL;
-- Modify "inventory_changes" table
ALTER TABLE `inventory_changes` ADD COLUMN `location_id` binary(16) NULL;
-- Modify "orders" table
ALTER TABLE `orders` ADD COLUMN `allocations` mediumblob NULL;
-- Modify "products" table
ALTER TABLE `products` ADD COLUMN `located` bool NOT NULL DEFAULT 0;
-- Modify "stores" table
ALTER TABLE `stores` ADD COLUMN `located` bool NOT NULL DEFAULT 0;
-- Create "locations" table
CREATE TABLE `locations` (`store_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `version` bigint NOT NULL DEFAULT 1, `event_sequence` bigint NOT NULL DEFAULT 0, `updated_at` bigint NOT NULL, `name` varchar(255) NOT NULL, `address` blob NULL, `position` bigint NOT NULL, `sells_online` bool NOT NULL, `picks_up` bool NOT NULL DEFAULT 0, `closed_at` bigint NULL, PRIMARY KEY (`store_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
-- Create "stock_levels" table
CREATE TABLE `stock_levels` (`store_id` binary(16) NOT NULL, `product_id` binary(16) NOT NULL, `variant_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `quantity` bigint NOT NULL, `sells_online` bool NOT NULL, PRIMARY KEY (`store_id`, `product_id`, `variant_id`, `id`), INDEX `stocklevel_store_id_id_quantity` (`store_id`, `id`, `quantity`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
