-- Add column "variant_id" to table: "order_lines"
ALTER TABLE `order_lines` ADD COLUMN `variant_id` blob NULL;
-- Add column "options" to table: "order_lines"
ALTER TABLE `order_lines` ADD COLUMN `options` blob NULL;
-- Add column "options" to table: "products"
ALTER TABLE `products` ADD COLUMN `options` blob NULL;
-- Add column "weight_grams" to table: "products"
ALTER TABLE `products` ADD COLUMN `weight_grams` integer NULL;
-- Add column "max_price_minor" to table: "products"
ALTER TABLE `products` ADD COLUMN `max_price_minor` integer NULL;
-- Create "variants" table
CREATE TABLE `variants` (`store_id` blob NOT NULL, `product_id` blob NOT NULL, `id` blob NOT NULL, `position` integer NOT NULL, `options` blob NOT NULL, `combination` blob NOT NULL, `title` text NOT NULL, `price_minor` integer NOT NULL, `compare_at_price_minor` integer NULL, `sku` text NULL, `inventory_quantity` integer NULL, `weight_grams` integer NULL, PRIMARY KEY (`store_id`, `product_id`, `id`));
-- Create index "variant_store_id_product_id_combination" to table: "variants"
CREATE UNIQUE INDEX `variant_store_id_product_id_combination` ON `variants` (`store_id`, `product_id`, `combination`);
