-- Modify "stores" table
ALTER TABLE `stores` ADD COLUMN `stock_events` bool NOT NULL DEFAULT 0;
-- Create "inventory_marks" table
CREATE TABLE `inventory_marks` (`store_id` binary(16) NOT NULL, `product_id` binary(16) NOT NULL, `id` binary(16) NOT NULL, `due_at` bigint NOT NULL, PRIMARY KEY (`store_id`, `product_id`, `id`)) CHARSET utf8mb4 COLLATE utf8mb4_bin;
