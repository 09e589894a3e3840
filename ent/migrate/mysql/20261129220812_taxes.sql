-- Modify "orders" table
ALTER TABLE `orders` ADD COLUMN `taxes` mediumblob NULL;
-- Modify "products" table
ALTER TABLE `products` ADD COLUMN `tax_category` varbinary(40) NOT NULL DEFAULT 'standard';
-- Modify "tax_settings" table
ALTER TABLE `tax_settings` ADD COLUMN `categories` blob NULL, ADD COLUMN `shipping_category` varbinary(40) NOT NULL DEFAULT 'standard';
-- Modify "variants" table
ALTER TABLE `variants` ADD COLUMN `tax_category` varbinary(40) NULL;
