-- Modify "products" table
ALTER TABLE `products` ADD COLUMN `external_reference` varbinary(1020) NULL, ADD UNIQUE INDEX `product_store_id_external_reference` (`store_id`, `external_reference`);
-- Modify "variants" table
ALTER TABLE `variants` ADD INDEX `variant_store_id_id` (`store_id`, `id`), ADD INDEX `variant_store_id_sku` (`store_id`, `sku`);
-- Create "inventory_changes" table
CREATE TABLE `inventory_changes` (`store_id` binary(16) NOT NULL, `product_id` binary(16) NOT NULL, `variant_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `before` bigint NULL, `after` bigint NULL, `reason` varchar(255) NULL, `reference` varchar(255) NULL, `actor_type` varbinary(16) NOT NULL, `actor_id` binary(16) NOT NULL, `actor_name` varchar(255) NOT NULL, PRIMARY KEY (`store_id`, `product_id`, `variant_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
