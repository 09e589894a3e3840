-- Add column "vat_consultation" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `vat_consultation` text NULL;
-- Add column "vat_consultation" to table: "carts"
ALTER TABLE `carts` ADD COLUMN `vat_consultation` text NULL;
