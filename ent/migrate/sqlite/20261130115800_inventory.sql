-- Add column "external_reference" to table: "products"
ALTER TABLE `products` ADD COLUMN `external_reference` text NULL;
-- Create index "product_store_id_external_reference" to table: "products"
CREATE UNIQUE INDEX `product_store_id_external_reference` ON `products` (`store_id`, `external_reference`);
-- Create index "variant_store_id_id" to table: "variants"
CREATE INDEX `variant_store_id_id` ON `variants` (`store_id`, `id`);
-- Create index "variant_store_id_sku" to table: "variants"
CREATE INDEX `variant_store_id_sku` ON `variants` (`store_id`, `sku`);
-- Create "inventory_changes" table
CREATE TABLE `inventory_changes` (`store_id` blob NOT NULL, `product_id` blob NOT NULL, `variant_id` blob NOT NULL, `id` blob NOT NULL, `before` integer NULL, `after` integer NULL, `reason` text NULL, `reference` text NULL, `actor_type` text NOT NULL, `actor_id` blob NOT NULL, `actor_name` text NOT NULL, PRIMARY KEY (`store_id`, `product_id`, `variant_id`, `id`));
