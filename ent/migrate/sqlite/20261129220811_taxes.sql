-- Add column "taxes" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `taxes` blob NULL;
-- Add column "tax_category" to table: "variants"
ALTER TABLE `variants` ADD COLUMN `tax_category` text NULL;
-- Add column "categories" to table: "tax_settings"
ALTER TABLE `tax_settings` ADD COLUMN `categories` blob NULL;
-- Add column "shipping_category" to table: "tax_settings"
ALTER TABLE `tax_settings` ADD COLUMN `shipping_category` text NOT NULL DEFAULT 'standard';
-- Add column "tax_category" to table: "products"
ALTER TABLE `products` ADD COLUMN `tax_category` text NOT NULL DEFAULT 'standard';
