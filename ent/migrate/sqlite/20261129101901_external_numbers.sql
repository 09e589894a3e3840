-- Add column "external_number" to table: "orders"
ALTER TABLE `orders` ADD COLUMN `external_number` text NULL;
-- Add column "region" to table: "carts"
ALTER TABLE `carts` ADD COLUMN `region` text NULL;
