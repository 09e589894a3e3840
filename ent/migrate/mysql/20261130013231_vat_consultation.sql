-- Modify "carts" table
ALTER TABLE `carts` ADD COLUMN `vat_consultation` varbinary(64) NULL;
-- Modify "orders" table
ALTER TABLE `orders` ADD COLUMN `vat_consultation` varbinary(64) NULL;
