-- Add column "tax_exempt" to table: "customers"
ALTER TABLE `customers` ADD COLUMN `tax_exempt` bool NOT NULL DEFAULT false;
-- Add column "vat_id" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `vat_id` text NULL;
-- Add column "tax_relief" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `tax_relief` text NULL;
-- Add column "vat_id" to table: "tax_settings"
ALTER TABLE `tax_settings` ADD COLUMN `vat_id` text NULL;
-- Add column "reverse_charge" to table: "tax_settings"
ALTER TABLE `tax_settings` ADD COLUMN `reverse_charge` bool NOT NULL DEFAULT false;
-- Add column "vat_id" to table: "carts"
ALTER TABLE `carts` ADD COLUMN `vat_id` text NULL;
