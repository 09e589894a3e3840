-- Modify "carts" table
ALTER TABLE `carts` ADD COLUMN `region` varchar(255) NULL;
-- Modify "orders" table
ALTER TABLE `orders` ADD COLUMN `external_number` varbinary(256) NULL;
