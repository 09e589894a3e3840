-- Modify "carts" table
ALTER TABLE `carts` ADD COLUMN `vat_id` varbinary(20) NULL;
-- Modify "customers" table
ALTER TABLE `customers` ADD COLUMN `tax_exempt` bool NOT NULL DEFAULT 0;
-- Modify "orders" table
ALTER TABLE `orders` ADD COLUMN `vat_id` varbinary(20) NULL, ADD COLUMN `tax_relief` varbinary(32) NULL;
-- Modify "tax_settings" table
ALTER TABLE `tax_settings` ADD COLUMN `vat_id` varbinary(20) NULL, ADD COLUMN `reverse_charge` bool NOT NULL DEFAULT 0;
